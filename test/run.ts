/**
 * `npm test`: every `*.test.ts`, each file in a process of its own, as many at once as there are cores. Prints failures in full, a line for
 * each file, and the totals.
 */
import { glob } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

const wanted = process.argv.slice(2)
const files: string[] = []
for await (const file of glob('{src,test,demo,resources}/**/*.test.ts')) {
  if (wanted.length === 0 || wanted.some((part) => file.includes(part))) files.push(file)
}
if (files.length === 0) {
  process.stderr.write(`No test file matches ${wanted.join(' ')}\n`)
  process.exit(2)
}
// The longest first, so that no core waits at the end for one file.
const slow = ['matrix', 'browser', 'cli', 'adding', 'drain', 'start']
const rank = (file: string) => slow.findIndex((part) => file.includes(part))
files.sort((a, b) => (rank(a) === -1 ? 99 : rank(a)) - (rank(b) === -1 ? 99 : rank(b)) || a.localeCompare(b))

const tests = run({ files, concurrency: Math.max(2, availableParallelism()), timeout: 120_000 })
let failed = false
tests.on('test:fail', (event) => {
  if (event.todo === undefined || event.todo === false) failed = true
})
tests.on('close', () => process.exit(failed ? 1 : 0))
tests.compose(spec).pipe(process.stdout)
