/**
 * Chooses NDJSON or CSV: by `--format`, else by the file's extension, else NDJSON for standard
 * input and output.
 */
import { extname } from 'node:path'
import { UsageError } from '../../command/usage-error.ts'

export const formats = ['ndjson', 'csv'] as const
export type LineFormat = (typeof formats)[number]

const extensions: Readonly<Record<string, LineFormat>> = { '.ndjson': 'ndjson', '.jsonl': 'ndjson', '.csv': 'csv' }

/** `-` or no file means standard input or output. */
export function isStandard(file: string | undefined): file is undefined | '-' {
  return file === undefined || file === '-'
}

/** Whether a file is compressed, by its name. */
export function isCompressed(file: string): boolean {
  return /\.gz$/i.test(file)
}

/** `formatOf('books.csv.gz', undefined)` → `'csv'`. Throws `UsageError`. */
export function formatOf(file: string | undefined, said: string | undefined): LineFormat {
  const format = said ?? (isStandard(file) ? 'ndjson' : extensions[extname(file.replace(/\.gz$/i, '')).toLowerCase()])
  const known = formats.find((one) => one === format)
  if (known) return known
  if (said !== undefined) throw new UsageError(`--format must be ${formats.join(' or ')}, not ${said}`)
  throw new UsageError(`cannot tell the format of ${file}; say --format ${formats.join(' or --format ')}`)
}
