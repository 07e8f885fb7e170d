/** Stores notes of commands and of the service in the file, by name. */

import { epochNote } from '../../sql/kept-changes.ts'
import { openConnection } from '../connection.ts'
import type { SqliteSetup } from '../file/setup.ts'
import { readMeta, writeMeta } from '../meta.ts'
import { logNote } from './change-table.ts'
import { beginWriting } from './write-lock.ts'

type MetadataFile = Pick<SqliteSetup, 'path' | 'copied' | 'joined'>

const open = ({ path, copied = false, joined }: MetadataFile, readOnly: boolean) =>
  openConnection(path, { readOnly, checkpoints: !copied, joined, stamps: !readOnly && joined === undefined })

export function findMetadata(file: MetadataFile, name: string): string | undefined {
  const connection = open(file, true)
  try {
    return readMeta(connection, name)
  } finally {
    connection.database.close()
  }
}

export async function writeMetadata(file: MetadataFile, name: string, value: string): Promise<void> {
  const connection = open(file, false)
  try {
    await beginWriting(connection)
    logNote(connection)
    writeMeta(connection, name, value)
    connection.database.exec('COMMIT') // otherwise closing rolls it back
  } finally {
    connection.database.close()
  }
}

/**
 * For a file that is restored: its next start draws a new name for the log. Positions in the log of
 * before mean other changes now.
 */
export function forgetEpoch(path: string): void {
  const connection = open({ path }, false)
  try {
    if (readMeta(connection, epochNote) === undefined) return
    connection.run({ sql: 'DELETE FROM bindery_meta WHERE name = ?', parameters: [epochNote] })
  } finally {
    connection.database.close()
  }
}
