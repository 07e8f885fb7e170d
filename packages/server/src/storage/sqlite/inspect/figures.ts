/** Figures of the file for operators: its size and the size of its log. */
import { statSync } from 'node:fs'
import { type MetricFamily, shared } from '../../../observe/metric-family.ts'

function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

export function sqliteFigures(path: string): MetricFamily[] {
  return [
    shared('bindery_database_bytes', 'Size of the database; of SQLite, of its file and of its log.', [
      { labels: { part: 'data' }, value: bytesOf(path) },
      { labels: { part: 'log' }, value: bytesOf(`${path}-wal`) },
    ]),
  ]
}
