/**
 * Exact numbers, which JSON has as text: they stay text from the server to the input and back,
 * because a number of JavaScript would lose digits.
 */
import { useState } from 'react'
import { locale } from '../../words/words.ts'
import { attributesOf, type ControlProps, isUnread } from '../control.ts'
import type { FieldKind } from '../field-kind.ts'
import { printDigits, readDigits } from '../read-number.ts'

function textOf(value: unknown, typed: string): string {
  if (isUnread(value)) return value.unread
  if (value === undefined || value === null) return ''
  return readDigits(typed) === value ? typed : printDigits(String(value))
}

function DigitsInput(props: ControlProps) {
  const { value, onChange } = props
  const [typed, setTyped] = useState('')
  function type(next: string): void {
    setTyped(next)
    onChange(next.trim() === '' ? null : (readDigits(next) ?? { unread: next }))
  }
  return (
    <input
      {...attributesOf(props)}
      inputMode="decimal"
      autoComplete="off"
      className="number"
      value={textOf(value, typed)}
      onChange={(event) => type(event.target.value)}
    />
  )
}

const format = new Intl.NumberFormat(locale, { maximumFractionDigits: 20 })
const fractionOf = (text: string) => text.split('.')[1]?.length ?? 0

/** `1,234.50`: the formatter takes the digits of a text, as they are. */
function shown(value: string | number): string {
  const text = String(value)
  const digits = text as Intl.StringNumericLiteral
  const decimals = Math.min(fractionOf(text), 20)
  return decimals === 0
    ? format.format(digits)
    : new Intl.NumberFormat(locale, { minimumFractionDigits: decimals, maximumFractionDigits: decimals }).format(digits)
}

/** Addresses, files and cells have digits as JSON does: `1.234` is no thousand there. */
function readLine(typed: string): string {
  const text = typed.trim()
  return /^-?\d+(\.\d+)?$/.test(text) ? text : (readDigits(text) ?? text)
}

export const digitsKind: FieldKind<string> = {
  Input: DigitsInput,
  line: { input: 'text', read: readLine },
  cell: shown,
  isFigure: true,
  width: 192,
  sample: (_field, i) => String(i + 1),
}
