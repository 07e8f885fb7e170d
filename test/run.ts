/**
 * `npm test`: every `*.test.ts`, each file in a process of its own, as many at once as there are cores; what a service answers is asked
 * on both databases. Prints failures in full, a line for each file, and the totals. `node test/run.ts carts` runs the files whose name has
 * it; `--on sqlite` or `--on postgres` asks one database alone.
 */
import { glob } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import { startCluster } from '../packages/server/src/testing/postgres.ts'

const { values, positionals: wanted } = parseArgs({ allowPositionals: true, options: { on: { type: 'string' } } })

/** What starts a service and says nothing of its file: the same test for every database. */
const served = [
  'apps/shop/test/spec/',
  'apps/shop/test/policy/',
  'packages/server/test/identity/',
  'packages/server/test/service/',
  'packages/server/test/graphql/',
  'packages/server/test/openapi/live',
  'packages/server/test/cli/import',
  'packages/server/test/cli/cred',
  'packages/server/test/http/c',
  'packages/server/test/http/p',
]
const databases = ['sqlite', 'postgres'].filter((name) => values.on === undefined || values.on === name)

const files: string[] = []
for await (const file of glob('{packages,apps}/*/test/**/*.test.ts')) {
  if (wanted.length === 0 || wanted.some((part) => file.includes(part))) files.push(file)
}
if (files.length === 0 || databases.length === 0) {
  process.stderr.write(`No test file matches ${process.argv.slice(2).join(' ')}\n`)
  process.exit(2)
}
// The longest first, so that no core waits at the end for one file.
const slow = ['matrix', 'browser', 'cli', 'adding', 'drain', 'start']
const rank = (file: string) => slow.findIndex((part) => file.includes(part))
files.sort((a, b) => (rank(a) === -1 ? 99 : rank(a)) - (rank(b) === -1 ? 99 : rank(b)) || a.localeCompare(b))

const cluster = await startCluster()
process.env.BINDERY_TEST_POSTGRES = cluster.url
/** A file that takes longer is stuck; `npm run test:scale` needs more. */
const minutesMax = Number(process.env.TEST_MINUTES ?? 2)
let failed = false

async function runOn(database: string): Promise<void> {
  process.env.BINDERY_TEST_DATABASE = database
  const isServed = (file: string) => served.some((folder) => file.startsWith(folder))
  const own = files.filter((file) => isServed(file) || database === databases[0])
  if (own.length === 0) return
  process.stdout.write(`\nOn ${database}:\n`)
  const tests = run({ files: own, concurrency: Math.max(2, availableParallelism()), timeout: minutesMax * 60_000 })
  tests.on('test:fail', (event) => {
    if (event.todo === undefined || event.todo === false) failed = true
  })
  const closed = new Promise((resolve) => tests.on('close', resolve))
  tests.compose(spec).pipe(process.stdout, { end: false })
  await closed
}

for (const database of databases) await runOn(database)
await cluster.remove()
process.exit(failed ? 1 : 0)
