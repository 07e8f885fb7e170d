/**
 * Runs a test file as a suite, in a process that it shares with others, and reports its processor
 * time at its end.
 */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { after, before, describe } from 'node:test'
import { noteWork, secondsOfAll } from './note-work.ts'
import { pauseRunnerHook, resumeRunnerHook } from './runner-hook.ts'

/** Their tests are made after those of other suites have begun to run. */
const buildsLater = /\bdescribe\(.*\basync\b/
const isCounted = existsSync('/proc/self/stat')

/**
 * Resolves when its tests have ended. `databaseOf` notes this file, and not its process, as one
 * that used the database that it was given.
 */
export async function suite(file: string, load: () => Promise<unknown>): Promise<void> {
  process.env.BINDERY_TEST_FILE = resolve(file)
  await describe(file, async () => {
    let begun = 0
    before(() => {
      if (isCounted) begun = secondsOfAll()
      if (!buildsLater.test(readFileSync(file, 'utf8'))) pauseRunnerHook()
    })
    await load()
    after(() => {
      resumeRunnerHook()
      if (isCounted) noteWork(`  ${file}`, secondsOfAll() - begun)
    })
  })
}
