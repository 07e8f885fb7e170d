/** Text of several lines, whose input grows as it is written. */
import { attributesOf, type ControlProps } from '../control.ts'
import type { FieldKind } from '../field-kind.ts'
import { textKind, textOf } from './text-kind.tsx'

export function LongTextInput(props: ControlProps) {
  const { field, value, onChange } = props
  return (
    <textarea
      {...attributesOf(props)}
      rows={3}
      value={String(value ?? '')}
      onChange={(event) => onChange(textOf(field, event.target.value))}
    />
  )
}

export const longTextKind: FieldKind<string> = {
  ...textKind,
  Input: LongTextInput,
  line: { input: 'lines', takesEmpty: true },
  whole: (value) => <span className="lines">{value}</span>,
}
