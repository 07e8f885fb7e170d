/** A cell that is edited in place: Enter saves, Escape leaves, and the message offers to undo it. */
import type { FieldDescription, ResourceDescription } from 'bindery-server/client'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { Row } from '../api/rows.ts'
import { type LineElement, LineInput } from '../fields/line-input.tsx'
import { lineOf, typedFrom, valueFrom } from '../fields/typed-value.ts'
import { changeProblem } from '../fields/unsent.ts'
import type { LeaveEditor } from '../grid/grid-column.ts'
import type { SaveOrMerge } from '../merge/merging.tsx'
import { notify, notifyError } from '../shell/notices.tsx'

/** A reference is picked on the page of the record, where its records can be searched. */
export function isEditable({ operations }: ResourceDescription, field: FieldDescription): boolean {
  const isSettable = operations.includes('update') && field.settable.includes('update')
  return isSettable && !field.reference && !field.secret && lineOf(field) !== undefined
}

type CellEditorProps = {
  readonly field: FieldDescription
  readonly row: Row
  readonly save: SaveOrMerge
  readonly leave: LeaveEditor
}

export function CellEditor({ field, row, save: saveOrMerge, leave }: CellEditorProps) {
  const before = typedFrom(field, row[field.name])
  const [typed, setTyped] = useState(before)
  const [state, setState] = useState<'open' | 'saving' | 'wrong'>('open')
  const input = useRef<LineElement | null>(null)
  const isLeaving = useRef(false)
  useEffect(() => {
    input.current?.focus()
    if (input.current instanceof HTMLInputElement && ['text', 'number'].includes(input.current.type))
      input.current.select()
  }, [])

  function end(to: 'stay' | 'go'): void {
    isLeaving.current = true
    leave(to)
  }

  async function save(to: 'stay' | 'go'): Promise<void> {
    if (isLeaving.current || state === 'saving') return
    if (typed === before && !input.current?.validity.badInput) return end(to)
    const value = valueFrom(field, typed)
    const problem = changeProblem(field, value)
    setState(problem === undefined ? 'saving' : 'wrong')
    if (problem !== undefined) return notify({ text: problem, isError: true })
    try {
      const saved = await saveOrMerge({ base: row, changes: { [field.name]: value } })
      if (saved) end(to)
      else setState('wrong')
    } catch (error) {
      setState('wrong')
      notifyError(error)
    }
  }

  function onKeyDown(event: KeyboardEvent): void {
    event.stopPropagation()
    // Shift and Enter begin a new line of a text that has several.
    if (event.key === 'Enter' && !event.shiftKey) void save('stay')
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
