/** All records that the list finds, as a file. They are read page after page, as the list is. */
import type { ResourceDescription } from 'bindery-server/client'
import { useState } from 'react'
import type { ListQuery } from '../address/request-line.ts'
import { readAll } from '../api/bulk.ts'
import { notifyError } from '../shell/notices.tsx'
import { locale, t } from '../words/words.ts'
import { toCsv, toNdjson } from './csv.ts'

type ExportPanelProps = {
  readonly resource: ResourceDescription
  readonly query: ListQuery
  readonly fields: readonly string[]
}

function download(name: string, text: string, type: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

export function ExportPanel({ resource, query, fields }: ExportPanelProps) {
  const [progress, setProgress] = useState<string>()
  const names = [...new Set([resource.idField, ...fields])]
  const numbers = new Intl.NumberFormat(locale)
  async function save(kind: 'csv' | 'ndjson'): Promise<void> {
    setProgress(t('working'))
    try {
      const asked = { ...query, fields: names.join(',') }
      const rows = await readAll(resource, asked, (_, all) =>
        setProgress(t('rowsLoaded', { loaded: numbers.format(all) })),
      )
      if (kind === 'csv') download(`${resource.slug}.csv`, toCsv(names, rows), 'text/csv')
      else download(`${resource.slug}.ndjson`, toNdjson(rows), 'application/x-ndjson')
    } catch (error) {
      notifyError(error)
    }
    setProgress(undefined)
  }
  return (
    <section className="panel" aria-label={t('export')}>
      <button type="button" disabled={progress !== undefined} onClick={() => void save('csv')}>
        CSV
      </button>
      <button type="button" disabled={progress !== undefined} onClick={() => void save('ndjson')}>
        NDJSON
      </button>
      <output>{progress ?? t('exportHelp')}</output>
    </section>
  )
}
