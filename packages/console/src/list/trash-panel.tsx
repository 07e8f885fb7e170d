/** The trash of a list: records are found by a search and filters, come back, or end for good. */
import type { FieldDescription, ResourceDescription } from 'bindery-server/client'
import { useMemo, useState } from 'react'
import type { ListQuery } from '../address/request-line.ts'
import type { Row } from '../api/rows.ts'
import { titleIn } from '../api/titles.ts'
import { purgeRecord, restoreRecord, useTrash } from '../api/trash.ts'
import { sayError } from '../shell/form-errors.ts'
import { notify, notifyError } from '../shell/notices.tsx'
import { Sheet } from '../shell/sheet.tsx'
import { useOneRun } from '../shell/use-one-run.ts'
import { inSentence, locale, t } from '../words/words.ts'
import { FilterBar } from './filter-bar.tsx'
import { useTyped } from './list-search.tsx'

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
  const can = canOf(row)
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
      {can.restore !== false && (
        <button type="button" aria-label={t('bringBackOf', { title })} onClick={() => once(restore)}>
          {t('bringBack')}
        </button>
      )}
      {resource.operations.includes('purge') && can.purge !== false && (
        <button type="button" className="danger" aria-label={t('purgeOf', { title })} onClick={() => setEnding(true)}>
          {t('purge')}
        </button>
      )}
      {isEnding && <PurgeSheet resource={resource} row={row} onClose={() => setEnding(false)} />}
    </li>
  )
}

/** `expand=can` adds it; an own field of the record keeps the name. */
function canOf({ _can, can }: Row): Readonly<Record<string, unknown>> {
  const found = _can ?? can
  return typeof found === 'object' && found !== null ? (found as Row) : {}
}

/** Fields that only a record in the trash has. */
function madeField(told: Pick<FieldDescription, 'name' | 'label' | 'type' | 'schema' | 'operators'>): FieldDescription {
  const none = { required: [], settable: [], nullable: true, sortable: false, searched: false, unique: false }
  return { ...told, ...none, partlyShown: false, virtual: false, secret: false, deprecated: false }
}

const moment = { type: 'timestamp', schema: { type: 'string', format: 'date-time' } } as const
const person = { type: 'text', schema: { type: 'string' } } as const

/** A record in the trash has its stored fields, when it was deleted, and by whom. */
function inTrash(resource: ResourceDescription): ResourceDescription {
  const own = resource.fields.filter(({ virtual, type }) => !virtual && type !== 'manyToMany')
  const at = madeField({ name: 'trashedAt', label: t('deletedAt'), ...moment, operators: ['gte', 'lt'] })
  const by = madeField({ name: 'trashedBy', label: t('deletedBy'), ...person, operators: ['eq', 'ne'] })
  return { ...resource, fields: [at, by, ...own] }
}

type ToolsProps = TrashProps & { readonly query: ListQuery; change(changes: ListChanges): void }
type ListChanges = Readonly<Record<string, string | undefined>>
type TrashProps = { readonly resource: ResourceDescription }

function TrashTools({ resource, query, change }: ToolsProps) {
  const [typed, type] = useTyped(query.q ?? '', (q) => change({ q }))
  const label = t('searchIn', { plural: t('trash') })
  return (
    <>
      {resource.list?.search && (
        <input
          type="search"
          aria-label={label}
          placeholder={t('search')}
          value={typed}
          onChange={(event) => type(event.target.value)}
        />
      )}
      <FilterBar resource={resource} query={query} change={change} />
    </>
  )
}

export function TrashPanel({ resource }: TrashProps) {
  const [query, setQuery] = useState<ListQuery>({})
  const described = useMemo(() => inTrash(resource), [resource])
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useTrash(resource, query)
  const rows = data?.pages.flatMap((page) => page.data) ?? []
  const isFiltered = Object.keys(query).length > 0
  const nothing = isFiltered ? t('noRows', { plural: inSentence(resource.plural) }) : t('trashEmpty')
  const change = (changes: ListChanges) =>
    setQuery((now) => {
      const entries = Object.entries({ ...now, ...changes }).filter(([, value]) => value)
      return Object.fromEntries(entries) as ListQuery
    })
  return (
    <section className="panel trash" aria-label={t('trash')}>
      {(rows.length > 0 || isFiltered) && <TrashTools resource={described} query={query} change={change} />}
      {error ? (
        <p role="alert">{sayError(error)}</p>
      ) : (
        <output>{data && rows.length === 0 ? nothing : t('trashHelp')}</output>
      )}
      <ul>
        {rows.map((row) => (
          <TrashedRecord key={String(row[resource.idField])} resource={resource} row={row} />
        ))}
      </ul>
      {hasNextPage && (
        <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('more')}
        </button>
      )}
    </section>
  )
}
