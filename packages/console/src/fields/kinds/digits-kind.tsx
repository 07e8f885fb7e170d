/**
 * Exact numbers, which JSON has as text: they stay text from the server to the input and back,
 * because a number of JavaScript would lose digits.
 */
import { locale } from '../../words/words.ts'
import { attributesOf, type ControlProps } from '../control.ts'
import type { FieldKind } from '../field-kind.ts'
import { textOf } from './text-kind.tsx'

function DigitsInput(props: ControlProps) {
  const { field, value, onChange } = props
  return (
    <input
      {...attributesOf(props)}
      inputMode="decimal"
      autoComplete="off"
      className="number"
      value={String(value ?? '')}
      onChange={(event) => onChange(textOf(field, event.target.value.trim()))}
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

export const digitsKind: FieldKind<string> = {
  Input: DigitsInput,
  line: { input: 'text', read: (typed) => typed.trim() },
  cell: shown,
  isFigure: true,
  width: 144,
  sample: (_field, i) => String(i + 1),
}
