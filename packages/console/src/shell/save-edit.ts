/** Saves an edit with the version it was made from, and tells it: "Saved, version 2 · Undo". */
import type { ResourceDescription } from 'bindery-server/client'
import { type Edit, type Edited, editRecord, versionIn } from '../api/edits.ts'
import type { Row } from '../api/rows.ts'
import { t } from '../words/words.ts'
import { notify, notifyError } from './notices.tsx'

function versionOf({ row, etag }: Edited): string | undefined {
  return typeof row.version === 'number' ? String(row.version) : versionIn(etag)
}

export function isConflict(error: unknown): boolean {
  return (error as { readonly status?: number }).status === 412
}

export function tellFailed(error: unknown): void {
  if (isConflict(error)) notify({ text: t('changedMeanwhile'), isError: true })
  else notifyError(error)
}

/** A write of the old values, with the version of the edit. */
function undo(resource: ResourceDescription, { row, etag }: Edited, before: Row): void {
  const undone = editRecord(resource, { shown: row, changes: before, etag })
  undone.then((edited) => notify({ text: t('undone', { version: versionOf(edited) ?? '' }) }), tellFailed)
}

/** Throws the client's error; `isConflict` where another write came first. */
export async function saveEdit(resource: ResourceDescription, edit: Edit): Promise<Row> {
  const { shown, changes } = edit
  const edited = await editRecord(resource, edit)
  const before = Object.fromEntries(Object.keys(changes).map((name) => [name, shown[name] ?? null]))
  const version = versionOf(edited)
  const isShown = Object.keys(changes).every((name) => name in edited.row)
  notify({
    text: version ? t('saved', { version }) : t('savedPlain'),
    // The old value of a secret is not known.
    ...(isShown && { act: { label: t('undo'), run: () => undo(resource, edited, before) } }),
  })
  return edited.row
}
