/**
 * Runs every command of every document in order and compares its output with the document.
 * `UPDATE=1 npm test -- docs/commands` writes the real output into the documents: review the
 * change, and put the `…` back.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
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

/**
 * Programs that a machine may lack; a command that needs one is then not run, and the test says so.
 */
const lacking = ['psql', 'sqlite3'].filter((name) => !hasProgram(name))
const lackedBy = (command: string) => lacking.find((name) => new RegExp(`^\\s*${name}\\b`).test(command))

const able = ['bash', 'curl'].every(hasProgram)

const work = temporaryFolder()
after(() => removeFolder(work))
/** Node's compile cache, shared by the whole run. */
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

type Listed = { readonly document: Document; readonly steps: readonly Step[] }

/**
 * One bash, and the hidden commands that were run in it: the next document that shares it needs
 * none of them again.
 */
type Shared = { readonly session: Session; readonly done: Set<string> }

async function open({ document, steps }: Listed): Promise<Shared> {
  const database = await databaseFor(document.file, steps)
  const usesSample = steps.some((step) => step.kind === 'run' && step.command.includes(demo))
  const session = await startSession({ compiled, database, sample: usesSample ? await sample : undefined })
  return { session, done: new Set() }
}

async function runSteps({ document, steps }: Listed, { session, done }: Shared): Promise<readonly Wrong[]> {
  const ids: Ids = new Map()
  const wrong: Wrong[] = []
  const before = new Set(done)
  for (const step of steps) {
    if (step.kind === 'run' && step.isHidden && before.has(step.command)) continue
    if (step.kind === 'run' && step.isHidden) done.add(step.command)
    const came = await take(step, session, ids)
    if (came) wrong.push({ ...came, says: `${document.file}:${came.line}: ${came.says}` })
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

/** It asks the sample shop and starts no other server: all of these share one. */
function isOfShop({ steps }: Listed): boolean {
  const [first, ...others] = steps.filter((step) => step.kind === 'run').map(({ command }) => command)
  return first === demo && !others.some((command) => /\b(?:stop|npm|cd)\b/.test(command))
}

/** Its programs log in and out as people of the sample, so these share another server. */
const hasPrograms = ({ steps }: Listed) => steps.some(({ kind }) => kind === 'save')

/**
 * Read first: the tutorial, and what curl asks the sample shop. `npm run test:long` runs the others
 * too, and so does `UPDATE=1`.
 */
const isFirst = (one: Listed) =>
  !one.document.file.startsWith('docs/') ||
  one.document.file.startsWith('docs/tutorial/') ||
  (isOfShop(one) && !hasPrograms(one))
const isShort = process.env.TEST_LONG === undefined && process.env.UPDATE === undefined

function note(step: Step, file: string, t: TestContext): void {
  const at = `${file}:${step.line}`
  if (step.kind === 'skip') t.diagnostic(`${at} is not run: ${step.why}`)
  if (step.kind !== 'run') return
  if (/npm (ci|test|run check)\b/.test(step.command)) t.diagnostic(`${at} is run by the script in .ci: ${step.command}`)
  const lacked = lackedBy(step.command)
  if (lacked) t.diagnostic(`${at} is not run: there is no ${lacked} here`)
}

function checkForm({ document, steps }: Listed, t: TestContext): void {
  for (const step of steps) note(step, document.file, t)
  const mistakes = steps.filter((step) => step.kind === 'mistake')
  assert.deepEqual([...document.mistakes, ...mistakes.map((one) => `${document.file}:${one.line}: ${one.problem}`)], [])
}

async function checkDocument(listed: Listed, shared: Shared, t: TestContext): Promise<void> {
  checkForm(listed, t)
  const { document, steps } = listed
  const possible = steps.filter((step) => step.kind !== 'run' || !lackedBy(step.command))
  const wrong = await runSteps({ document, steps: possible }, shared)
  if (process.env.UPDATE) update(document.file, wrong)
  else assert.ok(wrong.length === 0, wrong.map(({ says }) => says).join('\n\n'))
}

const options = { timeout: timeoutMs }

describe('the commands of the documents', {
  concurrency: 3,
  timeout: timeoutMs,
  skip: able ? false : 'there is no bash or no curl',
}, () => {
  const all = readDocuments()
    .map((document) => ({ document, steps: stepsOf(document) }))
    .filter(({ document, steps }) => steps.length + document.mistakes.length > 0)
  const chosen = all.filter((one) => !isShort || isFirst(one))
  const ofShop = chosen.filter((one) => isOfShop(one) && !hasPrograms(one))
  const programs = chosen.filter((one) => isOfShop(one) && hasPrograms(one))
  const alone = chosen.filter((one) => !isOfShop(one)).map((one) => [one])
  // The longest first, so that no core sits idle at the end.
  for (const listed of [
    ofShop,
    programs,
    ...alone.toSorted(([a], [b]) => (b?.steps.length ?? 0) - (a?.steps.length ?? 0)),
  ]) {
    const [first] = listed
    if (!first) continue
    test(
      listed.length > 1 ? `${listed.length} documents of the sample shop` : first.document.file,
      options,
      async (t) => {
        // Blocks that are only looked at need no shell.
        const isRun = listed.some(({ steps }) => steps.some(({ kind }) => kind === 'run'))
        if (!isRun) return checkForm(first, t)
        const shared = await open(first)
        try {
          if (listed.length === 1) await checkDocument(first, shared, t)
          else for (const one of listed) await t.test(one.document.file, (t) => checkDocument(one, shared, t))
        } finally {
          await shared.session.end()
        }
      },
    )
  }
  for (const { document } of all.filter((one) => !chosen.includes(one)))
    test(document.file, { skip: 'npm run test:long runs it' })
})
