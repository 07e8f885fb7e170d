/** How many rows are selected, and what can be done with them. */
import type { ResourceDescription } from 'bindery-server/client'
import { useState } from 'react'
import type { ListQuery } from '../address/request-line.ts'
import type { BulkWrite } from '../api/bulk.ts'
import { loaded } from '../shell/loaded.tsx'
import { locale, t } from '../words/words.ts'
import type { BulkTarget } from './bulk-sheet.tsx'

const BulkSheet = loaded(() => import('./bulk-sheet.tsx').then((part) => part.BulkSheet))
const numbers = new Intl.NumberFormat(locale)

type SelectionBarProps = {
  readonly resource: ResourceDescription
  readonly query: ListQuery
  readonly selected: ReadonlySet<string>
  readonly loadedRows: number
  readonly total: number | undefined
  onClear(): void
}

export function SelectionBar(props: SelectionBarProps) {
  const { resource, query, selected, loadedRows, total, onClear } = props
  const [isAll, setAll] = useState(false)
  const [open, setOpen] = useState<{ readonly method: BulkWrite['method']; readonly target: BulkTarget }>()
  const ask = (method: BulkWrite['method']) =>
    setOpen({ method, target: { resource, query, ids: isAll ? 'all' : [...selected], total } })
  const count = isAll ? (total ?? selected.size) : selected.size
  return (
    <section className="selection" aria-label={t('selection')}>
      <output>{t('selectedRows', { count: numbers.format(count) })}</output>
      {!isAll && selected.size === loadedRows && (total === undefined || total > loadedRows) && (
        <button type="button" className="plain" onClick={() => setAll(true)}>
          {t('selectMatching', { total: total === undefined ? '' : numbers.format(total) })}
        </button>
      )}
      {resource.operations.includes('update') && (
        <button type="button" onClick={() => ask('PATCH')}>
          {t('edit')}
        </button>
      )}
      {resource.operations.includes('delete') && (
        <button type="button" onClick={() => ask('DELETE')}>
          {t('delete')}
        </button>
      )}
      <button type="button" className="plain" onClick={onClear}>
        {t('clearSelection')}
      </button>
      {open && (
        <BulkSheet
          {...open}
          onClose={(isDone) => {
            setOpen(undefined)
            if (isDone) onClear()
          }}
        />
      )}
    </section>
  )
}
