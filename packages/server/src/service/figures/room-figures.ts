/** The room that fills up unseen: the disk beside the database. */
import { statfs } from 'node:fs/promises'
import type { Family } from '../../observe/family.ts'
import { type Source, shared } from '../../observe/meter.ts'

/** Of the disk that has this folder; what only the superuser may use is not free. */
export function diskFigures(dataDir: string): Source {
  return async (): Promise<Family[]> => {
    const { bavail, blocks, bsize } = await statfs(dataDir)
    return [
      shared({ name: 'bindery_disk_free_bytes', help: 'Room on the disk of the data folder.' }, bavail * bsize),
      shared({ name: 'bindery_disk_bytes', help: 'Size of the disk of the data folder.' }, blocks * bsize),
    ]
  }
}
