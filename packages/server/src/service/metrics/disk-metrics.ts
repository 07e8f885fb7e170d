/** The room that fills up unseen: the disk beside the database. */
import { statfs } from 'node:fs/promises'
import type { FamilySource } from '../../observe/meter.ts'
import { type MetricFamily, shared } from '../../observe/metric-family.ts'

/** Of the disk that has this folder; what only the superuser may use is not free. */
export function diskFigures(dataDir: string): FamilySource {
  return async (): Promise<MetricFamily[]> => {
    const { bavail, blocks, bsize } = await statfs(dataDir)
    return [
      shared('bindery_disk_free_bytes', 'Room on the disk of the data folder.', bavail * bsize),
      shared('bindery_disk_bytes', 'Size of the disk of the data folder.', blocks * bsize),
    ]
  }
}
