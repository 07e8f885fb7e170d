/** A save outside of a form: where another write came first, a sheet asks what to keep. */
import type { ResourceDescription } from 'bindery-server/client'
import { type ReactNode, useCallback, useState } from 'react'
import type { Row } from '../api/rows.ts'
import { loaded } from '../shell/loaded.tsx'
import { isConflict, saveEdit } from '../shell/save-edit.ts'
import type { Conflict } from './conflict.tsx'
import type { Save } from './save-record.ts'

const ConflictSheet = loaded(() => import('./conflict.tsx').then((part) => part.ConflictSheet))

/** The saved record; undefined where the person closed the sheet. Throws the client's error. */
export type SaveOrMerge = (save: Save) => Promise<Row | undefined>
type Asking = { readonly conflict: Conflict; answer(saved: Row | undefined): void }

/** The sheet stands where the caller puts it, above the part that saves. */
export function useMerging(resource: ResourceDescription): { readonly save: SaveOrMerge; readonly sheet: ReactNode } {
  const [asking, setAsking] = useState<Asking>()
  const save = useCallback<SaveOrMerge>(
    async ({ base, changes }) => {
      try {
        return await saveEdit(resource, { shown: base, changes })
      } catch (error) {
        if (!isConflict(error)) throw error
        const { readConflict } = await import('./conflict.tsx')
        const conflict = await readConflict(resource, { base, changes })
        return new Promise((answer) => setAsking({ conflict, answer }))
      }
    },
    [resource],
  )
  const end = (saved: Row | undefined) => {
    setAsking(undefined)
    asking?.answer(saved)
  }
  const sheet = asking && (
    <ConflictSheet resource={resource} conflict={asking.conflict} onSaved={end} onClose={() => end(undefined)} />
  )
  return { save, sheet }
}
