/** A cell that is edited in place: Enter saves, Escape leaves, and the message offers to undo it. */
import { type FieldDescription, RequestError, type ResourceDescription } from 'bindery-server/client'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { type Edited, editRecord, versionIn } from '../api/edits.ts'
import type { Row } from '../api/rows.ts'
import { LineInput } from '../fields/line-input.tsx'
import { inputKindOf, typedFrom, valueFrom } from '../fields/typed-value.ts'
import type { LeaveEditor } from '../grid/grid-column.ts'
import { notify, notifyError } from '../shell/notices.tsx'
import { t } from '../words/words.ts'

/** A reference is picked on the page of the record, where its records can be searched. */
export function isEditable({ operations }: ResourceDescription, field: FieldDescription): boolean {
  const isSettable = operations.includes('update') && field.settable.includes('update')
  return isSettable && !field.reference && !field.secret && inputKindOf(field) !== undefined
}

function tellSaved({ row, etag }: Edited, undo: () => void): void {
  const version = typeof row.version === 'number' ? String(row.version) : versionIn(etag)
  const text = version ? t('saved', { version }) : t('savedPlain')
  notify({ text, act: { label: t('undo'), run: undo } })
}

export function tellFailed(error: unknown): void {
  if (error instanceof RequestError && error.status === 412) notify({ text: t('changedMeanwhile'), isError: true })
  else notifyError(error)
}

/** Saves a field. The message afterwards undoes it by a write of the old value, with `If-Match`. */
async function saveField(resource: ResourceDescription, shown: Row, changes: Row): Promise<void> {
  const before = Object.fromEntries(Object.keys(changes).map((name) => [name, shown[name] ?? null]))
  const edited = await editRecord(resource, { shown, changes })
  tellSaved(edited, () => {
    const undone = editRecord(resource, { shown: edited.row, changes: before, etag: edited.etag })
    undone.then(({ etag }) => notify({ text: t('undone', { version: versionIn(etag) ?? '' }) }), tellFailed)
  })
}

type CellEditorProps = {
  readonly resource: ResourceDescription
  readonly field: FieldDescription
  readonly row: Row
  readonly leave: LeaveEditor
}

export function CellEditor({ resource, field, row, leave }: CellEditorProps) {
  const before = typedFrom(field, row[field.name])
  const [typed, setTyped] = useState(before)
  const [state, setState] = useState<'open' | 'saving' | 'wrong'>('open')
  const input = useRef<HTMLInputElement | null>(null)
  const isLeaving = useRef(false)
  useEffect(() => {
    input.current?.focus()
    if (input.current?.type === 'text' || input.current?.type === 'number') input.current.select()
  }, [])

  function end(to: 'stay' | 'go'): void {
    isLeaving.current = true
    leave(to)
  }

  async function save(to: 'stay' | 'go'): Promise<void> {
    if (isLeaving.current || state === 'saving') return
    if (typed === before && !input.current?.validity.badInput) return end(to)
    setState('saving')
    try {
      await saveField(resource, row, { [field.name]: valueFrom(field, typed) })
      end(to)
    } catch (error) {
      setState('wrong')
      tellFailed(error)
    }
  }

  function onKeyDown(event: KeyboardEvent): void {
    event.stopPropagation()
    if (event.key === 'Enter') void save('stay')
    else if (event.key === 'Escape') end('stay')
  }
  return (
    <fieldset className="cell-editor" aria-label={field.label} onKeyDown={onKeyDown} onBlur={() => void save('go')}>
      <LineInput
        field={field}
        label={field.label}
        typed={typed}
        onType={setTyped}
        isWrong={state === 'wrong'}
        isDisabled={state === 'saving'}
        inputRef={(element) => {
          input.current = element
        }}
      />
    </fieldset>
  )
}
