/**
 * Every command of every document is run, in order, and prints what the document says. `UPDATE=1 npm test -- docs/commands` writes what
 * really came into the documents: look at what changed, and put the `…` back.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { makePostgresDatabase, removeFolder, sharedCluster, temporaryFolder } from 'bindery-server/test'
import { type Step, stepsOf } from './document-steps.ts'
import { type Document, readDocuments, root } from './documents.ts'
import { type Ids, isPrinted } from './printed-output.ts'
import { printedDatabase, type Session, startSession } from './shell-session.ts'

type Wrong = { readonly line: number; readonly expected: string; readonly output: string; readonly says: string }

function hasProgram(name: string): boolean {
  try {
    return execFileSync('bash', ['-c', `command -v ${name}`]).length > 0
  } catch {
    return false
  }
}

/** Programs that a machine may lack; a command that needs one is then not run, and the test says so. */
const lacking = ['psql', 'sqlite3'].filter((name) => !hasProgram(name))
const lackedBy = (command: string) => lacking.find((name) => new RegExp(`^\\s*${name}\\b`).test(command))

const able = ['bash', 'curl'].every(hasProgram)

const work = temporaryFolder()
after(() => removeFolder(work))
/** What Node compiled: shared with the whole run. */
const compiled = process.env.NODE_COMPILE_CACHE ?? join(work, 'compiled')
const demo = 'npm run demo'
/** Some seventy programs are started for the longest document; other test files run beside it. */
const timeoutMs = 600_000

async function take(step: Step, session: Session, ids: Ids): Promise<Wrong | undefined> {
  if (step.kind === 'save') session.save(step.file, step.text)
  if (step.kind !== 'run') return undefined
  const { line, command, expected } = step
  const { output, code } = await session.run(command)
  const fits = expected === undefined ? code === 0 : isPrinted(expected, output, ids)
  const says = `$ ${command}\n  printed: ${expected ?? '(nothing is said; exit code 0)'}\n  came (${code}): ${output}`
  return fits ? undefined : { line, expected: expected ?? '', output, says }
}

/** A database of its own for a document that uses one on PostgreSQL. */
function databaseFor(file: string, steps: readonly Step[]): Promise<string> | undefined {
  const isUsed = steps.some((step) => step.kind === 'run' && step.command.includes(printedDatabase))
  return isUsed ? makePostgresDatabase(sharedCluster(), `docs_${file.replace(/\W/g, '_')}`) : undefined
}

/** The sample catalogue, made once for all documents that begin with it. */
async function makeSample(): Promise<string> {
  const session = await startSession({ compiled })
  const { code, output } = await session.run(`${demo} && stop && cp -r data-demo ${work}/sample`)
  await session.end()
  assert.equal(code, 0, output)
  return join(work, 'sample')
}

const sample = able ? makeSample() : undefined

async function runDocument({ file }: Document, steps: readonly Step[]): Promise<readonly Wrong[]> {
  if (steps.every(({ kind }) => kind !== 'run')) return []
  const database = await databaseFor(file, steps)
  const usesSample = steps.some((step) => step.kind === 'run' && step.command.includes(demo))
  const session = await startSession({ compiled, database, sample: usesSample ? await sample : undefined })
  const ids: Ids = new Map()
  const wrong: Wrong[] = []
  try {
    for (const step of steps) {
      const came = await take(step, session, ids)
      if (came) wrong.push({ ...came, says: `${file}:${came.line}: ${came.says}` })
    }
  } finally {
    await session.end()
  }
  return wrong
}

/** Puts what came in the place of what the document prints. */
function update(file: string, wrong: readonly Wrong[]): void {
  const path = join(root, file)
  const lines = readFileSync(path, 'utf8').split('\n')
  for (const { line, expected, output } of wrong.toReversed()) {
    const at = lines.indexOf(expected.split('\n')[0] ?? '', line - 1)
    if (expected !== '' && at !== -1) lines.splice(at, expected.split('\n').length, ...output.split('\n'))
  }
  writeFileSync(path, lines.join('\n'))
}

/** What people read first. `npm run test:long`, and whoever writes outputs anew, runs the others too. */
const first = ['docs/tutorial.md', 'docs/api.md']
const isShort = process.env.TEST_LONG === undefined && process.env.UPDATE === undefined

describe('the commands of the documents', {
  concurrency: 3,
  timeout: timeoutMs,
  skip: able ? false : 'there is no bash or no curl',
}, () => {
  const all = readDocuments().map((document) => ({ document, steps: stepsOf(document) }))
  // The longest first, so that no core sits idle at the end.
  for (const { document, steps } of all.toSorted((a, b) => b.steps.length - a.steps.length)) {
    if (steps.length + document.mistakes.length === 0) continue
    const skip = isShort && document.file.startsWith('docs/') && !first.includes(document.file)
    test(document.file, { timeout: timeoutMs, skip: skip && 'npm run test:long runs it' }, async (t) => {
      for (const step of steps) {
        if (step.kind === 'run' && /npm (ci|test|run check)\b/.test(step.command))
          t.diagnostic(`${document.file}:${step.line} is run by the script in .ci: ${step.command}`)
        const lacked = step.kind === 'run' ? lackedBy(step.command) : undefined
        if (step.kind === 'skip') t.diagnostic(`${document.file}:${step.line} is not run: ${step.why}`)
        if (lacked) t.diagnostic(`${document.file}:${step.line} is not run: there is no ${lacked} here`)
      }
      const mistakes = steps.filter((step) => step.kind === 'mistake')
      assert.deepEqual(
        [...document.mistakes, ...mistakes.map((one) => `${document.file}:${one.line}: ${one.problem}`)],
        [],
      )
      const wrong = await runDocument(
        document,
        steps.filter((step) => step.kind !== 'run' || !lackedBy(step.command)),
      )
      if (process.env.UPDATE) update(document.file, wrong)
      else assert.ok(wrong.length === 0, wrong.map(({ says }) => says).join('\n\n'))
    })
  }
})
