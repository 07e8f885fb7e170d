/** A number, in the writing of the reader's language. A text that is none stays as it was typed. */
import { useState } from 'react'
import { attributesOf, type ControlProps, isUnread } from './control.ts'
import { printNumber, readNumber } from './read-number.ts'

function textOf(value: unknown, typed: string): string {
  if (isUnread(value)) return value.unread
  if (typeof value !== 'number') return String(value ?? '')
  return readNumber(typed) === value ? typed : printNumber(value)
}

export function NumberInput(props: ControlProps) {
  const { field, value, onChange } = props
  const [typed, setTyped] = useState('')
  function type(next: string): void {
    setTyped(next)
    onChange(next.trim() === '' ? null : (readNumber(next) ?? { unread: next }))
  }
  return (
    <input
      {...attributesOf(props)}
      inputMode={field.type === 'integer' ? 'numeric' : 'decimal'}
      autoComplete="off"
      className="number"
      value={textOf(value, typed)}
      onChange={(event) => type(event.target.value)}
    />
  )
}
