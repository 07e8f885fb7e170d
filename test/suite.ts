/**
 * Runs a test file as a suite, in a process that it shares with others, and reports its processor
 * time at its end.
 */
import { executionAsyncResource } from 'node:async_hooks'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { after, before, describe } from 'node:test'
import { noteWork, secondsOfAll } from './note-work.ts'
import { closeLeft, pauseRunnerHook, resumeRunnerHook } from './runner-hook.ts'

/** A suite of Node's runner. `buildSuite` resolves when its function has ended; tests have none. */
type Built = { readonly buildSuite?: Promise<void>; readonly subtests: readonly Built[] }
const isCounted = existsSync('/proc/self/stat')
/** Until then all that a process of tests leaves open has to be closed. */
const lingerMs = Number(process.env.TEST_LINGER_SECONDS ?? 60) * 1000

/**
 * Resolves when all tests are declared. The runner begins the first suite while the functions of
 * others still run, and their tests would be declared behind the runner's hook.
 */
async function declared({ subtests }: Built): Promise<void> {
  for (const one of subtests) {
    await one.buildSuite
    await declared(one)
  }
}

/**
 * Resolves when its tests have ended, also where they or their hooks fail. `databaseOf` notes this
 * file, and not its process, as one that used the database that it was given.
 */
export async function suite(file: string, load: () => Promise<unknown>): Promise<void> {
  process.env.BINDERY_TEST_FILE = resolve(file)
  let begun: number | undefined
  await describe(file, async () => {
    const own = executionAsyncResource() as Built
    before(() => {
      if (isCounted) begun = secondsOfAll()
      pauseRunnerHook()
    })
    after(closeLeft)
    await load()
    await declared(own)
  })
  // No hook of the suite: the runner skips those behind one that fails.
  resumeRunnerHook()
  if (begun !== undefined) noteWork(`  ${file}`, secondsOfAll() - begun)
}

/**
 * Behind the last suite. A server that a failed hook has left would keep the process until the
 * limit of a file.
 */
export function endSuites(): void {
  const end = () => {
    process.stderr.write(`Its tests have ended, and these are open: ${process.getActiveResourcesInfo().join(', ')}\n`)
    process.exit(1)
  }
  setTimeout(end, lingerMs).unref()
}
