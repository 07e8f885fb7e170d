/**
 * The records below one in its form: a table of inputs. Lines are added, changed and removed, and
 * are saved with the record in one request. What is below a line stands on its own page.
 */
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import type { Row } from '../api/rows.ts'
import type { Selected } from '../grid/grid-selection.ts'
import { isLive } from '../live/is-live.ts'
import { sayError } from '../shell/form-errors.ts'
import { loaded } from '../shell/loaded.tsx'
import { inSentence, t } from '../words/words.ts'
import { ChildLine, type Line } from './child-line.tsx'
import {
  editsIn,
  type InBody,
  type LineEdits,
  placeIn,
  withNewLine,
  withNewToggled,
  withNewValue,
  withToggled,
  withValue,
} from './line-edits.ts'
import { useStoredLines } from './use-in-body.ts'
import type { RecordForm } from './use-record-form.ts'

const LiveRows = loaded(() => import('../live/live-rows.tsx').then((part) => part.LiveRows))

const nothing: Selected = new Set()

type ChildLinesProps = {
  readonly inBody: InBody
  readonly form: RecordForm
  readonly isSaving: boolean
  /** The address of the record; undefined for a new one, which has no stored lines. */
  readonly parts: readonly string[] | undefined
}

export function ChildLines(props: ChildLinesProps) {
  const isRead = props.parts !== undefined && props.inBody.resource.operations.includes('list')
  return isRead ? (
    <StoredLines {...props} />
  ) : (
    <Lines {...props} rows={[]} hasMore={false} live={null} marked={nothing} />
  )
}

function StoredLines(props: ChildLinesProps) {
  const { inBody, form } = props
  const { resource, selects, child } = inBody
  const { list, query } = useStoredLines(inBody)
  const [marked, setMarked] = useState(nothing)
  const { data, error, hasNextPage } = list
  if (error && !data) return <p className="problem">{sayError(error)}</p>
  if (!data) return <p className="quiet">{t('loading')}</p>
  // Lines with edits stay as they were: an edit belongs to its line.
  const live = isLive(resource) && !(child.name in form.changes) && (
    <LiveRows resource={resource} selects={selects} query={query} onMarked={setMarked} />
  )
  return <Lines {...props} rows={data.pages[0]?.data ?? []} hasMore={hasNextPage} live={live} marked={marked} />
}

type Edit = (next: LineEdits | undefined, place?: string) => void

function storedLine({ inBody, parts }: ChildLinesProps, row: Row, [edits, edit]: readonly [LineEdits, Edit]): Line {
  const { resource, child } = inBody
  const id = row[resource.idField] as string | number
  const can = (row._can ?? row.can ?? {}) as Readonly<Record<string, unknown>>
  const may = (name: string) => resource.operations.includes(name) && can[name] !== false
  const isReached = resource.operations.includes('get')
  const own = inBody.isOwn ? [resource.slug] : [...(parts ?? []), child.path]
  return {
    key: String(id),
    values: { ...row, ...edits.changed.find((one) => one.id === id)?.values },
    stored: row,
    isRemoved: edits.removed.includes(id),
    kind: may('update') ? 'update' : undefined,
    parts: isReached ? [...own, String(id)] : undefined,
    set: (name, value) => edit(withValue(edits, { id, row }, { [name]: value }), placeIn(inBody, id, name)),
    ...(may('delete') && { toggle: () => edit(withToggled(edits, id), placeIn(inBody, id)) }),
  }
}

function newLines({ inBody }: ChildLinesProps, [edits, edit]: readonly [LineEdits, Edit]): readonly Line[] {
  return edits.added.map(({ key, values, isRemoved }) => ({
    key,
    values,
    stored: undefined,
    isRemoved,
    kind: 'create',
    parts: undefined,
    set: (name, value) => edit(withNewValue(edits, key, { [name]: value }), placeIn(inBody, key, name)),
    toggle: () => edit(withNewToggled(edits, key), placeIn(inBody, key)),
  }))
}

type LinesProps = ChildLinesProps & {
  readonly rows: readonly Row[]
  readonly hasMore: boolean
  readonly live: ReactNode
  readonly marked: Selected
}

function Lines({ rows, hasMore, live, marked, ...props }: LinesProps) {
  const { inBody, form, isSaving } = props
  const { child, resource, fields } = inBody
  const edits = editsIn(form.changes, inBody)
  const edit: Edit = (next, place) => {
    // A request on its way has the lines as they were.
    if (!isSaving) form.set(child.name, next, place)
  }
  const lines = [...rows.map((row) => storedLine(props, row, [edits, edit])), ...newLines(props, [edits, edit])]
  const heading = useId()
  const [body, focusNew] = useNewFocus(edits.added.length)
  const label = inSentence(resource.label)
  return (
    <section className="child-lines" data-field={child.name}>
      <div className="head">
        <h2 id={heading}>{child.label}</h2>
        {live}
      </div>
      {lines.length > 0 && (
        <table aria-labelledby={heading}>
          <thead>
            <tr>
              <th scope="col">#</th>
              {fields.map((field) => (
                <th key={field.name} scope="col">
                  {field.label}
                  {field.required.includes('create') && <span aria-hidden="true"> *</span>}
                </th>
              ))}
              <th scope="col">
                <span className="unseen">{t('actions')}</span>
              </th>
            </tr>
          </thead>
          <tbody ref={body}>
            {lines.map((line, i) => (
              <ChildLine
                key={line.key}
                inBody={inBody}
                line={line}
                number={i + 1}
                errors={form.errors?.fields ?? {}}
                isMarked={marked.has(line.key)}
              />
            ))}
          </tbody>
        </table>
      )}
      {form.errors?.fields[child.name] && <p className="problem">{form.errors.fields[child.name]}</p>}
      {hasMore && <p className="quiet">{t('firstLines', { count: rows.length })}</p>}
      {resource.operations.includes('create') && (
        <button
          type="button"
          onClick={() => {
            edit(withNewLine(edits))
            focusNew()
          }}
        >
          {t('addLine', { label })}
        </button>
      )}
    </section>
  )
}

/** The focus goes to the first input of a line that was added. */
function useNewFocus(count: number) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [asked, setAsked] = useState(0)
  useEffect(() => {
    if (asked === 0 || count === 0) return
    body.current?.querySelector<HTMLElement>(':scope > tr:last-child :is(input, select, textarea, button)')?.focus()
  }, [asked, count])
  return [body, () => setAsked((now) => now + 1)] as const
}
