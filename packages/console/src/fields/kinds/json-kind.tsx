/** Values of any form, as JSON. */
import { useState } from 'react'
import { attributesOf, type ControlProps, isUnread, type Unread } from '../control.ts'
import type { FieldKind } from '../field-kind.ts'

function read(text: string): unknown | Unread {
  try {
    return JSON.parse(text)
  } catch {
    return { unread: text }
  }
}

function textOf(value: unknown, typed: string): string {
  if (isUnread(value)) return value.unread
  if (value === undefined || value === null) return ''
  return JSON.stringify(read(typed)) === JSON.stringify(value) ? typed : JSON.stringify(value, null, 2)
}

function JsonInput(props: ControlProps) {
  const { value, onChange } = props
  const [typed, setTyped] = useState('')
  return (
    <textarea
      {...attributesOf(props)}
      rows={3}
      className="code"
      spellCheck={false}
      value={textOf(value, typed)}
      onChange={(event) => {
        setTyped(event.target.value)
        onChange(event.target.value.trim() === '' ? null : read(event.target.value))
      }}
    />
  )
}

export const jsonKind: FieldKind<unknown> = {
  Input: JsonInput,
  whole: (value) => <pre className="code">{JSON.stringify(value, null, 2)}</pre>,
  readCell(text) {
    const found = read(text)
    return isUnread(found) ? text : found
  },
}
