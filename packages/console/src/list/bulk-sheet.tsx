/** Many records changed or deleted at once, with their number first and progress while it runs. */

import type { ResourceDescription } from 'bindery-server/client'
import { type FormEvent, useEffect, useState } from 'react'
import type { ListQuery } from '../address/request-line.ts'
import { type BulkWrite, filteredMax, idsOf, writeByFilter, writeByIds } from '../api/bulk.ts'
import { forgetRows } from '../api/rows.ts'
import { canRestore } from '../api/trash.ts'
import { LineInput } from '../fields/line-input.tsx'
import { valueFrom } from '../fields/typed-value.ts'
import { changeProblem } from '../fields/unsent.ts'
import { sayError } from '../shell/form-errors.ts'
import { notify } from '../shell/notices.tsx'
import { Sheet } from '../shell/sheet.tsx'
import { inSentence, locale, t } from '../words/words.ts'
import { isEditable } from './cell-editor.tsx'
import { conditionsOf } from './conditions.ts'
import { undoOf } from './undo-deletes.ts'

const numbers = new Intl.NumberFormat(locale)

export type BulkTarget = {
  readonly resource: ResourceDescription
  readonly query: ListQuery
  /** All that match the query, where it is `'all'`. */
  readonly ids: readonly string[] | 'all'
  readonly total: number | undefined
}

function isOneRequest({ resource, query, ids, total }: BulkTarget): boolean {
  const hasFilter = conditionsOf(query).length > 0 || Boolean(query.q)
  return ids === 'all' && Boolean(resource.list?.bulk) && hasFilter && (total ?? Infinity) <= filteredMax
}

/** `ids`: those of the deleted records that may come back. */
type Written = { readonly count: number; readonly ids?: readonly string[] | undefined }

async function write(
  target: BulkTarget,
  sent: BulkWrite,
  onDone: (done: number, all: number) => void,
): Promise<Written> {
  const { resource, query } = target
  const comesBack = sent.method === 'DELETE' && canRestore(resource)
  if (isOneRequest(target)) {
    const ids = comesBack ? await idsOf(resource, query, onDone) : undefined
    const count = await writeByFilter(resource, sent, { query })
    forgetRows(resource)
    return { count, ids }
  }
  const ids = target.ids === 'all' ? await idsOf(resource, query, onDone) : target.ids
  await writeByIds(resource, sent, { ids, onDone })
  return { count: ids.length, ...(comesBack && { ids }) }
}

function countOf({ ids, total }: BulkTarget): string {
  const chosen = ids === 'all' ? (total ?? 0) : ids.length
  return total === undefined
    ? numbers.format(chosen)
    : t('rowsOf', { loaded: numbers.format(chosen), total: numbers.format(total) })
}

/** The server's count, or why it would refuse, before anything is written. */
function useTry(target: BulkTarget, method: BulkWrite['method']): string | undefined {
  const [said, setSaid] = useState<string>()
  useEffect(() => {
    if (method !== 'DELETE' || !isOneRequest(target)) return
    writeByFilter(target.resource, { method }, { query: target.query, isTry: true }).then(
      (count) => setSaid(t('wouldDelete', { count: numbers.format(count) })),
      (error: Error) => setSaid(sayError(error)),
    )
  }, [target, method])
  return said
}

type EndsProps = { readonly method: BulkWrite['method']; readonly isBusy: boolean; onCancel(): void }

/** The first button has the focus: where records go, it is the one that leaves them. */
function Ends({ method, isBusy, onCancel }: EndsProps) {
  const cancel = (
    <button type="button" onClick={onCancel}>
      {t('cancel')}
    </button>
  )
  if (method === 'PATCH')
    return (
      <>
        <button type="submit" className="main" disabled={isBusy}>
          {t('save')}
        </button>
        {cancel}
      </>
    )
  return (
    <>
      {cancel}
      <button type="submit" className="danger" disabled={isBusy}>
        {t('delete')}
      </button>
    </>
  )
}

type BulkSheetProps = {
  readonly target: BulkTarget
  readonly method: BulkWrite['method']
  onClose(isDone: boolean): void
}

export function BulkSheet({ target, method, onClose }: BulkSheetProps) {
  const fields = target.resource.fields.filter((field) => isEditable(target.resource, field))
  const [name, setName] = useState(fields[0]?.name)
  const [typed, setTyped] = useState('')
  const [progress, setProgress] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const tried = useTry(target, method)
  const field = fields.find((one) => one.name === name)
  const values = { count: countOf(target), plural: inSentence(target.resource.plural) }
  const label = t(method === 'DELETE' ? 'deleteMany' : 'changeMany', values)

  async function run(event: FormEvent): Promise<void> {
    event.preventDefault()
    const given = typed || (field?.type === 'boolean' && !field.nullable ? 'true' : '')
    const body = method === 'PATCH' && field ? { [field.name]: valueFrom(field, given) } : undefined
    const wrong = body && field && changeProblem(field, body[field.name])
    setProblem(wrong)
    if (wrong !== undefined) return
    setProgress(t('working'))
    try {
      const { count, ids } = await write(target, { method, ...(body && { body }) }, (done, all) =>
        setProgress(t('rowsOf', { loaded: numbers.format(done), total: numbers.format(all) })),
      )
      const text = t(method === 'DELETE' ? 'deletedMany' : 'changedMany', { count: numbers.format(count) })
      notify({ text, ...undoOf(target.resource, ids) })
      onClose(true)
    } catch (error) {
      setProblem(sayError(error))
      setProgress(undefined)
    }
  }
  return (
    <Sheet label={label} isAlert={method === 'DELETE'} onClose={() => onClose(false)}>
      <form onSubmit={(event) => void run(event)}>
        {method === 'PATCH' && (
          <p className="sheet-row">
            <select
              aria-label={t('field')}
              value={name}
              onChange={(event) => {
                setName(event.target.value)
                setTyped('')
              }}
            >
              {fields.map((one) => (
                <option key={one.name} value={one.name}>
                  {one.label}
                </option>
              ))}
            </select>
            {field && (
              <LineInput
                field={field}
                label={t('value')}
                typed={typed}
                onType={setTyped}
                mayBeEmpty={field.type !== 'boolean' || field.nullable}
              />
            )}
          </p>
        )}
        {tried && <p className="quiet">{tried}</p>}
        <output>{progress}</output>
        {problem && (
          <p role="alert" className="problem">
            {problem}
          </p>
        )}
        <p className="sheet-row">
          <Ends method={method} isBusy={progress !== undefined} onCancel={() => onClose(false)} />
        </p>
      </form>
    </Sheet>
  )
}
