/** Rows that people order, where the list is in that order: by dragging, or Alt with an arrow. */
import type { ResourceDescription } from 'bindery-server/client'
import { useMemo } from 'react'
import { moveRecord, orderOf } from '../api/moves.ts'
import type { Row } from '../api/rows.ts'
import type { MoveRow } from '../grid/grid-column.ts'
import { notify, notifyError } from '../shell/notices.tsx'
import { t } from '../words/words.ts'

type Moving = { readonly rows: readonly Row[]; readonly sort: string }

/** Undefined where the rows are in another order, or the caller may not move them. */
export function useMoves(resource: ResourceDescription, { rows, sort }: Moving): MoveRow | undefined {
  return useMemo(() => {
    const field = orderOf(resource)
    if (!field || sort.replace(/^-/, '') !== field.name) return undefined
    const isReversed = sort.startsWith('-')
    return async (from, to) => {
      const [row, beside] = [rows[from], rows[to]]
      if (!row || !beside || from === to) return false
      const side = to > from !== isReversed ? 'after' : 'before'
      try {
        await moveRecord(resource, field.name, { row, side, beside })
        notify({ text: t('movedTo', { row: String(to + 1) }) })
        return true
      } catch (error) {
        notifyError(error)
        return false
      }
    }
  }, [resource, rows, sort])
}
