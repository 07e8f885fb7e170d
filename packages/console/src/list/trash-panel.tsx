/** The trash of a list: its latest records, which come back or are deleted for good. */
import type { ResourceDescription } from 'bindery-server/client'
import { useState } from 'react'
import type { Row } from '../api/rows.ts'
import { titleIn } from '../api/titles.ts'
import { canRestore, purgeRecord, restoreRecord, useTrash } from '../api/trash.ts'
import { notify, notifyError } from '../shell/notices.tsx'
import { Sheet } from '../shell/sheet.tsx'
import { useOneRun } from '../shell/use-one-run.ts'
import { inSentence, locale, t } from '../words/words.ts'

type TrashedRow = { readonly resource: ResourceDescription; readonly row: Row }

function PurgeSheet({ resource, row, onClose }: TrashedRow & { onClose(): void }) {
  const once = useOneRun()
  async function purge(): Promise<void> {
    try {
      await purgeRecord(resource, String(row[resource.idField]))
      notify({ text: t('purged', { label: resource.label }) })
    } catch (error) {
      notifyError(error)
    }
    onClose()
  }
  return (
    <Sheet label={t('surePurge', { label: inSentence(resource.label) })} isAlert onClose={onClose}>
      <p>
        <strong>{titleIn(resource, row)}</strong>
      </p>
      <div className="tools">
        <button type="button" onClick={onClose}>
          {t('cancel')}
        </button>
        <button type="button" className="danger" onClick={() => once(purge)}>
          {t('purge')}
        </button>
      </div>
    </Sheet>
  )
}

function TrashedRecord({ resource, row }: TrashedRow) {
  const [isEnding, setEnding] = useState(false)
  const once = useOneRun()
  const title = titleIn(resource, row)
  const at = String(row.trashedAt)
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
  async function restore(): Promise<void> {
    try {
      await restoreRecord(resource, String(row[resource.idField]))
      notify({ text: t('broughtBack', { label: resource.label }) })
    } catch (error) {
      notifyError(error)
    }
  }
  return (
    <li>
      <span>{title}</span>
      <time dateTime={at}>{moment.format(new Date(at))}</time>
      <button type="button" aria-label={t('bringBackOf', { title })} onClick={() => once(restore)}>
        {t('bringBack')}
      </button>
      {resource.operations.includes('purge') && (
        <button type="button" className="danger" aria-label={t('purgeOf', { title })} onClick={() => setEnding(true)}>
          {t('purge')}
        </button>
      )}
      {isEnding && <PurgeSheet resource={resource} row={row} onClose={() => setEnding(false)} />}
    </li>
  )
}

export function TrashPanel({ resource }: { readonly resource: ResourceDescription }) {
  const { data, error } = useTrash(resource)
  const rows = canRestore(resource) ? (data?.data ?? []) : []
  return (
    <section className="panel trash" aria-label={t('trash')}>
      {error ? (
        <p role="alert">{error.message}</p>
      ) : (
        <output>{data && rows.length === 0 ? t('trashEmpty') : t('trashHelp')}</output>
      )}
      <ul>
        {rows.map((row) => (
          <TrashedRecord key={String(row[resource.idField])} resource={resource} row={row} />
        ))}
      </ul>
    </section>
  )
}
