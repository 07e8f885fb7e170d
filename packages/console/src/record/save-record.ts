/** Saves what a form has changed, with the version that it was made from, and offers to undo it. */
import type { ResourceDescription } from 'bindery-server/client'
import { client } from '../api/client.ts'
import { type Edited, editRecord, versionIn } from '../api/edits.ts'
import type { Row } from '../api/rows.ts'
import { notify, notifyError } from '../shell/notices.tsx'
import { t } from '../words/words.ts'

function versionOf({ row, etag }: Edited): string | undefined {
  return typeof row.version === 'number' ? String(row.version) : versionIn(etag)
}

function undo(resource: ResourceDescription, { row, etag }: Edited, before: Row): void {
  const undone = editRecord(resource, { shown: row, changes: before, etag })
  undone.then((edited) => notify({ text: t('undone', { version: versionOf(edited) ?? '' }) }), notifyError)
}

export function isConflict(error: unknown): boolean {
  return (error as { readonly status?: number }).status === 412
}

export type Save = {
  /** The record as it was when the form was begun. */
  readonly base: Row
  readonly changes: Row
}

/** Throws the client's error; `isConflict` where another write came first. */
export async function saveChanges(resource: ResourceDescription, { base, changes }: Save): Promise<Row> {
  const edited = await editRecord(resource, { shown: base, changes, etag: client.etagOf(base) })
  const before = Object.fromEntries(Object.keys(changes).map((name) => [name, base[name] ?? null]))
  const version = versionOf(edited)
  const isShown = Object.keys(changes).every((name) => name in edited.row)
  notify({
    text: version ? t('saved', { version }) : t('savedPlain'),
    // The old value of a secret is not known.
    ...(isShown && { act: { label: t('undo'), run: () => undo(resource, edited, before) } }),
  })
  return edited.row
}
