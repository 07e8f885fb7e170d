/** Saves the changes of a form, with the version that the form was begun with. */
import type { ResourceDescription } from 'bindery-server/client'
import { client } from '../api/client.ts'
import type { Row } from '../api/rows.ts'
import { saveEdit } from '../shell/save-edit.ts'

export type Save = {
  /** The record as it was when the form was begun. */
  readonly base: Row
  readonly changes: Row
  /** The password of a person who changes their own log-in. */
  readonly proof?: Row
}

/** Throws the client's error; `isConflict` where another write came first. */
export function saveChanges(resource: ResourceDescription, { base, changes, proof }: Save): Promise<Row> {
  return saveEdit(resource, { shown: base, changes: { ...changes, ...proof }, etag: client.etagOf(base) })
}
