/** Metrics of the disk of the database, which may fill up unnoticed. */
import { statfs } from 'node:fs/promises'
import type { FamilySource } from '../../observe/meter.ts'
import { type MetricFamily, shared } from '../../observe/metric-family.ts'

/** Of the disk of this folder; space that only the superuser may use is not free. */
export function diskFigures(dataDir: string): FamilySource {
  return async (): Promise<MetricFamily[]> => {
    const { bavail, blocks, bsize } = await statfs(dataDir)
    return [
      shared('bindery_disk_free_bytes', 'Room on the disk of the data folder.', bavail * bsize),
      shared('bindery_disk_bytes', 'Size of the disk of the data folder.', blocks * bsize),
    ]
  }
}
