/** Temporary folders of tests. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** In the folder that the runner of the tests names, if it does. */
export function temporaryFolder(): string {
  return mkdtempSync(join(process.env.BINDERY_TEST_FOLDERS ?? tmpdir(), 'bindery-test-'))
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}
