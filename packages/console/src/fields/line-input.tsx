/** An input of one line for a value of a field: in cells and in filters. */
import { type Ref, useState } from 'react'
import type { KindField } from './field-kind.ts'
import { hasLines } from './kinds/text-kind.tsx'
import { lineOf } from './typed-value.ts'

export type LineElement = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

type LineInputProps = {
  readonly field: KindField
  readonly label: string
  readonly typed: string
  onType(next: string): void
  readonly isWrong?: boolean
  readonly isDisabled?: boolean
  /** A choice may be left open. */
  readonly mayBeEmpty?: boolean
  readonly inputRef?: Ref<LineElement>
}

export function LineInput(props: LineInputProps) {
  const { field, label, typed, onType, isWrong, isDisabled, mayBeEmpty = field.nullable, inputRef } = props
  const { input, options } = lineOf(field) ?? { input: 'text' as const }
  const [isLong] = useState(() => hasLines(typed))
  const shared = {
    ref: inputRef as Ref<never>,
    'aria-label': label,
    'aria-invalid': isWrong || undefined,
    readOnly: isDisabled,
    value: typed,
    onChange: (event: { target: { value: string } }) => onType(event.target.value),
  }
  if (input === 'choice') {
    const { readOnly, ...select } = shared
    return (
      <select {...select} disabled={readOnly}>
        {mayBeEmpty && <option value="">–</option>}
        {options?.(field).map((one) => (
          <option key={one.value} value={one.value}>
            {one.label}
          </option>
        ))}
      </select>
    )
  }
  if (input === 'lines' || (input === 'text' && isLong)) return <textarea {...shared} rows={1} />
  return <input {...shared} type={input} step={input === 'text' ? undefined : 'any'} autoComplete="off" />
}
