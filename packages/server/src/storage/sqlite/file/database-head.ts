/** Recognizes a SQLite database by the first bytes of its file. */
import { closeSync, openSync, readSync, statSync } from 'node:fs'

const magic = 'SQLite format 3\0'

export function readHead(file: string, bytes: number): Buffer {
  const handle = openSync(file, 'r')
  try {
    const head = Buffer.alloc(bytes)
    return head.subarray(0, readSync(handle, head, 0, bytes, 0))
  } finally {
    closeSync(handle)
  }
}

/** Whether a file that begins so is a database (sqlite.org/fileformat2, section 1.3). */
export function isMagic(head: Buffer): boolean {
  return head.toString('latin1', 0, magic.length) === magic
}

/** The size of its pages (section 1.3.2). */
export function pageBytesOf(head: Buffer): number {
  const bytes = head.readUInt16BE(16)
  return bytes === 1 ? 65_536 : bytes
}

/** Whether the file holds a database: SQLite would also create one in an empty file. */
export function isDatabaseThere(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0
}
