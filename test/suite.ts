/**
 * Runs a test file as a suite, in a process that it shares with others, and reports its processor
 * time at its end.
 */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { after, before, describe } from 'node:test'
import { noteWork, secondsOfAll } from './note-work.ts'
import { closeLeft, pauseRunnerHook, resumeRunnerHook } from './runner-hook.ts'

/** Their tests are made after those of other suites have begun to run. */
const buildsLater = /\bdescribe\(.*\basync\b/
const isCounted = existsSync('/proc/self/stat')
/** Until then all that a process of tests leaves open has to be closed. */
const lingerMs = Number(process.env.TEST_LINGER_SECONDS ?? 60) * 1000

/**
 * Resolves when its tests have ended, also where they or their hooks fail. `databaseOf` notes this
 * file, and not its process, as one that used the database that it was given.
 */
export async function suite(file: string, load: () => Promise<unknown>): Promise<void> {
  process.env.BINDERY_TEST_FILE = resolve(file)
  let begun: number | undefined
  await describe(file, async () => {
    before(() => {
      if (isCounted) begun = secondsOfAll()
      if (!buildsLater.test(readFileSync(file, 'utf8'))) pauseRunnerHook()
    })
    after(closeLeft)
    await load()
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
