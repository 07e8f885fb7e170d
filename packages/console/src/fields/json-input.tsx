/** The input of types that have none of their own: the value as JSON. */
import { useState } from 'react'
import { attributesOf, type ControlProps, isUnread, type Unread } from './control.ts'

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

export function JsonInput(props: ControlProps) {
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
