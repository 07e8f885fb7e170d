/**
 * `npm test`: runs every `*.test.ts` on SQLite, in shared processes where possible (`groups.ts`).
 * Tests of rooms that depend on the database run again on PostgreSQL, unless they name theirs.
 * Prints failures in full and the totals; `hold-answers.ts` compares responses with OpenAPI.
 * Arguments: parts of paths, `--on sqlite`, `--on postgres`, and `--timed` for `*.timed.test.ts`.
 */
import { mkdtempSync } from 'node:fs'
import { glob, readFile, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import { startCluster } from '../packages/server/src/testing/postgres.ts'
import { groupFiles, preloads, type Runs } from './groups.ts'
import { useMemoryFolder } from './memory-folder.ts'

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { on: { type: 'string' }, timed: { type: 'boolean' } },
})
const isTimed = values.timed === true
/** Some of them run tests that `npm test` has too, and look at the clock meanwhile. */
if (isTimed) process.env.BINDERY_TEST_TIMED = '1'

/** For files that go through both databases by themselves. */
if (values.on !== undefined) process.env.BINDERY_TEST_ONLY = values.on
const databases = ['sqlite', 'postgres'].filter((name) => values.on === undefined || values.on === name)

const files: string[] = []
for await (const file of glob(['{packages,apps}/*/test/**/*.test.ts', '{prose,site,test}/*.test.ts'])) {
  if (file.endsWith('.timed.test.ts') !== isTimed) continue
  if (wanted.length === 0 || wanted.some((part) => file.includes(part))) files.push(file)
}
if (files.length === 0 || databases.length === 0) {
  process.stderr.write(`No test file matches ${process.argv.slice(2).join(' ')}\n`)
  process.exit(2)
}
// The longest first, so that no core sits idle at the end while one file still runs.
const slow = [
  'packed',
  'docs/commands',
  'develop',
  'scale/',
  'http/start',
  'drain',
  'matrix',
  'browser',
  'attack',
  'cli',
]
const rank = (file: string) => slow.findIndex((part) => file.includes(part))
files.sort((a, b) => (rank(a) === -1 ? 99 : rank(a)) - (rank(b) === -1 ? 99 : rank(b)) || a.localeCompare(b))

/** The rooms whose tests are about the database. */
const aboutDatabases = /\/(?:storage|scale|record|response-cache|perform)\//
const isWantedAgain = (file: string) => wanted.length > 0 || aboutDatabases.test(file)

// Times are those of a disk, and long runs write more than fits into memory.
if (!isTimed && process.env.TEST_MINUTES === undefined) useMemoryFolder()
// The tables of a long run grow, and a server of an operator vacuums them.
const cluster = await startCluster(process.env.TEST_MINUTES === undefined ? [] : ['autovacuum_naptime=10s'])
// A server gives up after 2 s where the address does not say. On a loaded machine a connection
// takes longer.
process.env.BINDERY_TEST_POSTGRES = `${cluster.url}?connect_timeout=10`
/**
 * Most code of a test runs a few times. V8 compiles it for long runs ten times later than usual,
 * which saves a tenth of the work. Timed tests and the servers of other processes are as usual.
 */
const lateCompiled = ['--invocation-count-for-turbofan=30000', '--invocation-count-for-osr=5000']
/** A file that takes longer is considered stuck; `npm run test:scale` sets more. */
const minutesMax = Number(process.env.TEST_MINUTES ?? 20)
let failed = false

const folder = mkdtempSync(join(tmpdir(), 'bindery-tests-'))
/** The folder for files that one test file makes and others share. */
process.env.BINDERY_TEST_RUN = folder
/** `note-work.ts` writes here what each process took. */
const workFile = join(folder, 'work')
process.env.BINDERY_TEST_WORK = workFile
/** `databaseOf` notes here which test files used the database that they were given. */
const takenFile = join(folder, 'taken')
process.env.BINDERY_TEST_TAKEN = takenFile
/**
 * Hundreds of processes load the same code, and loading is most of what a short one does: they
 * share what Node compiled.
 */
process.env.NODE_COMPILE_CACHE = join(folder, 'compiled')

/** The files that used the database that they were given, and are to use the other one. */
async function takersOf(files: readonly string[]): Promise<string[]> {
  const noted = new Set((await readFile(takenFile, 'utf8').catch(() => '')).split('\n'))
  return files.filter((file) => noted.has(resolve(file)) && isWantedAgain(file))
}

async function runOn(database: string, { paths, filesOf }: Runs): Promise<void> {
  if (paths.length === 0) return
  process.env.BINDERY_TEST_DATABASE = database
  process.stdout.write(`\nOn ${database}:\n`)
  const tests = run({
    files: [...paths],
    // One more than there are cores: some file always waits, for a disk, a timer or a process.
    concurrency: isTimed ? 1 : availableParallelism() + 1,
    timeout: minutesMax * 60_000,
    execArgv: isTimed ? [...preloads] : [...preloads, ...lateCompiled],
  })
  tests.on('test:fail', (event) => {
    if (event.todo === undefined || event.todo === false) failed = true
  })
  const closed = new Promise((resolve) => tests.on('close', resolve))
  tests.compose(spec).pipe(process.stdout, { end: false })
  await closed
  await printWork(database, filesOf)
}

/** Where the processors' time went; nothing on systems that do not say. */
async function printWork(database: string, filesOf: Runs['filesOf']): Promise<void> {
  const lines = (await readFile(workFile, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
  await rm(workFile, { force: true })
  const work = lines.map((line) => JSON.parse(line) as [path: string, seconds: number])
  const isOfGroup = ([path]: (typeof work)[number]) => path.startsWith(' ')
  const processes = work.filter((one) => !isOfGroup(one))
  const total = processes.reduce((sum, [, seconds]) => sum + seconds, 0)
  process.stdout.write(`Seconds of a processor on ${database}, ${total.toFixed(0)} in all:\n`)
  const print = (lines: typeof work) => {
    for (const [path, seconds] of lines.sort((a, b) => b[1] - a[1]).slice(0, 40)) {
      const [file = path, ...others] = filesOf(path)
      const more = others.length > 0 ? ` and ${others.length} more` : ''
      process.stdout.write(`  ${seconds.toFixed(1).padStart(6)}  ${relative('.', file.trim())}${more}\n`)
    }
  }
  print(processes)
  process.stdout.write('Of files that share a process:\n')
  print(work.filter(isOfGroup))
}

await runOn(databases[0] as string, groupFiles(files, folder))
if (databases[1]) await runOn(databases[1], groupFiles(await takersOf(files), folder))
await Promise.all([cluster.remove(), rm(folder, { recursive: true })])
process.exit(failed ? 1 : 0)
