/**
 * No test's outcome depends on the speed of the machine: tests count events instead. A test that
 * compares times is a `*.timed.test.ts`, which only `npm run test:timed` runs.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const clock =
  /cpuUsage|performance\.now|hrtime|eventLoopUtilization|monitorEventLoopDelay|\binLessThan\b|\bleastCpuMs\b/

/** The files that look at a clock all the same, and why no outcome hangs on it. */
const reasons: Readonly<Record<string, string>> = {
  'apps/shop/test/helpers/until.ts': 'says after minutes that a test is stuck',
  'packages/server/test/helpers/until.ts': 'says after minutes that a test is stuck',
  'packages/server/test/scale/instances.ts': 'says after minutes that a test is stuck',
  'packages/server/test/helpers/least-time.ts': 'what timed tests measure by',
  'packages/server/test/attack/probe.ts': 'measures, for timed tests alone',
  'packages/server/test/observe/tally.test.ts': 'measures in a timed run alone',
  'packages/server/test/console/demo-minute.browser.test.ts': 'measures in a timed run alone',
  'packages/server/test/http/accept-burst.test.ts': 'keeps the process busy for so long',
  'packages/server/test/http/overload.test.ts': 'keeps the process busy for so long',
  'packages/server/test/perform/import-yields.test.ts': 'keeps the process busy for so long',
  'packages/server/test/http/idle-timeout.test.ts': 'nothing ends before its time',
  'packages/server/test/response-cache/full.test.ts': 'times that are given to what is tested',
  'packages/server/test/observe/request-counts.test.ts': 'times that are given to what is tested',
  'packages/server/test/mistakes/clock.test.ts': 'a declaration that looks at the clock',
  'packages/server/test/schema/killed.test.ts': 'spreads kills over the time that a step takes',
  'packages/server/test/storage/checkpoints.test.ts': 'holds a sync for at least so long',
}

const files = globSync('{packages,apps}/*/test/**/*.{ts,tsx}', { cwd: root }).filter(
  (file) => !file.endsWith('.timed.test.ts') && !file.endsWith('test/clocks.test.ts'),
)
const looking = files.filter((file) => clock.test(readFileSync(`${root}${file}`, 'utf8')))

test('tests that look at a clock are timed ones, or say here why no outcome hangs on it', () => {
  assert.deepEqual(
    looking.filter((file) => !Object.hasOwn(reasons, file)),
    [],
  )
})

test('each reason is of a file that looks at a clock', {
  skip: !looking.some((file) => file.startsWith('apps/')),
}, () => {
  assert.deepEqual(
    Object.keys(reasons).filter((file) => !looking.includes(file)),
    [],
  )
})
