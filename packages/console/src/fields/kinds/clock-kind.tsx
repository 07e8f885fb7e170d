/** A time of day: no time zone moves it. */
import { attributesOf, type ControlProps } from '../control.ts'
import type { FieldKind } from '../field-kind.ts'

function ClockInput(props: ControlProps) {
  const { value, onChange } = props
  return (
    <input
      {...attributesOf(props)}
      type="time"
      step="any"
      value={String(value ?? '')}
      onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
    />
  )
}

export const clockKind: FieldKind<string> = {
  Input: ClockInput,
  line: { input: 'time' },
  cell: (value) => <time dateTime={value}>{value}</time>,
  width: 112,
  sample: (_, i) => `${String((8 + i) % 24).padStart(2, '0')}:30:00`,
}
