/** A number, in the writing of the reader's language. A text that is none stays as it was typed. */
import { useState } from 'react'
import { locale, t } from '../../words/words.ts'
import { attributesOf, type ControlProps, isUnread } from '../control.ts'
import type { FieldKind, KindField } from '../field-kind.ts'
import { isScientific, printNumber, readNumber } from '../read-number.ts'

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

/** Years and the like have no sign between thousands. */
const numbers = new Intl.NumberFormat(locale, { useGrouping: 'min2', maximumFractionDigits: 20 })

const integerMax = 2 ** 31 - 1

/** `1 to 5.` The limits that every stored integer has are no news. */
function rangeOf({ schema }: KindField): string | undefined {
  const { minimum, maximum } = schema as Readonly<Record<string, number | undefined>>
  const min = minimum !== undefined && minimum > -integerMax - 1 ? minimum : undefined
  const max = maximum !== undefined && maximum < integerMax ? maximum : undefined
  if (min !== undefined && max !== undefined) return t('fromTo', { min: numbers.format(min), max: numbers.format(max) })
  if (min !== undefined) return t('atLeast', { min: numbers.format(min) })
  return max === undefined ? undefined : t('atMost', { max: numbers.format(max) })
}

/** As JSON has numbers: `0x10` and `Infinity` are none. */
function readPlain(typed: string): unknown {
  const text = typed.trim()
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(text) && Number.isFinite(Number(text)) ? Number(text) : typed
}

export const numberKind: FieldKind<number> = {
  Input: NumberInput,
  line: { input: 'number', read: readPlain },
  cell: (value) => (isScientific(value) ? String(value) : numbers.format(value)),
  isFigure: true,
  width: 112,
  hint: rangeOf,
  sample: ({ schema }, i) => Math.min(Number(schema.minimum ?? 0) + i + 1, Number(schema.maximum ?? Infinity)),
}

export const integerKind: FieldKind<number> = numberKind

/** An id is a name, and no figure. */
export const numberIdKind: FieldKind<number> = { Input: NumberInput, ...(numberKind.line && { line: numberKind.line }) }
