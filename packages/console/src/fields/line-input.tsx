/** An input of one line for a value of a field: in cells and in filters. */
import type { FieldDescription } from 'bindery-server/client'
import type { Ref } from 'react'
import { t } from '../words/words.ts'
import { choicesOf, inputKindOf } from './typed-value.ts'

type LineInputProps = {
  readonly field: Pick<FieldDescription, 'type' | 'schema' | 'nullable' | 'reference'>
  readonly label: string
  readonly typed: string
  onType(next: string): void
  readonly isWrong?: boolean
  readonly isDisabled?: boolean
  /** A choice may be left open. */
  readonly mayBeEmpty?: boolean
  readonly inputRef?: Ref<HTMLInputElement & HTMLSelectElement>
}

const typeOf = { number: 'number', time: 'datetime-local', date: 'date', text: 'text', choice: 'text' } as const

function choiceLabel(type: string, value: string): string {
  return type === 'boolean' ? t(value === 'true' ? 'yes' : 'no') : value
}

export function LineInput(props: LineInputProps) {
  const { field, label, typed, onType, isWrong, isDisabled, mayBeEmpty = field.nullable, inputRef } = props
  const kind = inputKindOf(field) ?? 'text'
  const shared = {
    ref: inputRef,
    'aria-label': label,
    'aria-invalid': isWrong || undefined,
    readOnly: isDisabled,
    value: typed,
    onChange: (event: { target: { value: string } }) => onType(event.target.value),
  }
  if (kind === 'choice') {
    const { readOnly, ...select } = shared
    return (
      <select {...select} disabled={readOnly}>
        {mayBeEmpty && <option value="">–</option>}
        {choicesOf(field).map((one) => (
          <option key={one} value={one}>
            {choiceLabel(field.type, one)}
          </option>
        ))}
      </select>
    )
  }
  return <input {...shared} type={typeOf[kind]} step={kind === 'text' ? undefined : 'any'} autoComplete="off" />
}
