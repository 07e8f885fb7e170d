/**
 * `npm run bench` runs on a small table: the servers start and answer, and the result has every
 * figure. `npm test` only tries names of workloads that do not exist.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'

type Share = { contestant: string; share: number; perSecond: number; p99Ms: number }
type Result = { size: number; lines: { name: string; agree: boolean; shares: Share[] }[]; figures: { name: string }[] }

const run = promisify(execFile)
const script = join(import.meta.dirname, '../../../bench/run.ts')

const skip = process.env.TEST_LONG === undefined && 'npm run test:long runs it'

describe('the benchmark', { timeout: 900_000, skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'bindery-bench-test-'))
  const read = ['varied', 'search', 'messages']
  let result: Result
  before(async () => {
    const args = ['--size', '1k', '--rounds', '1', '--seconds', '0.3', '--json', '--plots', folder]
    const { stdout } = await run(process.execPath, [script, ...args, '--only', [...read, 'import', 'memory'].join()])
    result = JSON.parse(stdout).results[0]
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('measures Bindery and the hand-written routes at every workload', () => {
    assert.equal(result.size, 1000)
    assert.deepEqual(
      result.lines.map(({ name }) => name),
      read,
    )
    for (const { name, shares } of result.lines) {
      assert.deepEqual(
        shares.map(({ contestant }) => contestant),
        ['Bindery', 'hand-written'],
      )
      for (const { perSecond, share, p99Ms } of shares) {
        assert.ok(perSecond > 0 && share > 0 && p99Ms > 0, name)
      }
    }
  })

  it('asks both for the same: they give the same records', () => {
    for (const { name, agree } of result.lines) assert.ok(agree, name)
  })

  it('measures what is no share of the bare server', () => {
    const names = result.figures.map(({ name }) => name)
    assert.equal(names.filter((name) => name === 'import').length, 3)
    assert.ok(names.includes('memory') || process.platform !== 'linux')
  })

  it('draws a plot for each workload', () => {
    assert.deepEqual(readdirSync(folder).sort(), [...read, 'all'].map((name) => `${name}.svg`).sort())
    assert.match(readFileSync(join(folder, 'varied.svg'), 'utf8'), /^<svg[\s\S]*hand-written[\s\S]*<\/svg>\n$/)
  })
})

it('refuses names that it does not know, and says which there are', async () => {
  await assert.rejects(
    run(process.execPath, [script, '--only', 'nothing']),
    (error: { code: number; stderr: string }) => {
      assert.equal(error.code, 1)
      assert.match(error.stderr, /There is no workload nothing; there are: start, /)
      return true
    },
  )
})

it('starts programs that are there', () => {
  const folder = join(import.meta.dirname, '../../../bench')
  const started = globSync('*.ts', { cwd: folder }).flatMap((file) =>
    [
      ...readFileSync(join(folder, file), 'utf8').matchAll(/import\.meta\.dirname, '([^']+)'|printedBy\S*\('([^']+)'/g),
    ].map((match) => match[1] ?? match[2] ?? ''),
  )
  assert.ok(started.includes('watched-server.ts'))
  assert.deepEqual(
    started.filter((program) => !existsSync(join(folder, program))),
    [],
  )
})
