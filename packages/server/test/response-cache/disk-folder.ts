/**
 * A folder on a real disk, even where temporary files are in memory. The response cache uses no
 * file in memory, because that would save none.
 */
import { mkdirSync, mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** As statfs(2) calls a file system in memory. */
const tmpfsMagic = 0x01021994
const besideModules = join(import.meta.dirname, '../../../../node_modules/.cache')

/** Remove it afterwards. */
export function makeDiskFolder(prefix: string): string {
  if (statfsSync(tmpdir()).type !== tmpfsMagic) return mkdtempSync(join(tmpdir(), prefix))
  mkdirSync(besideModules, { recursive: true })
  return mkdtempSync(join(besideModules, prefix))
}
