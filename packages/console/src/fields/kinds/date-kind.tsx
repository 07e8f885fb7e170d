/** A day of the calendar: no time zone moves it. */
import { locale } from '../../words/words.ts'
import { attributesOf, type ControlProps } from '../control.ts'
import type { FieldKind } from '../field-kind.ts'

const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
const dayMs = 86_400_000

function DateInput(props: ControlProps) {
  const { value, onChange } = props
  return (
    <input
      {...attributesOf(props)}
      type="date"
      value={String(value ?? '')}
      onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
    />
  )
}

export const dateKind: FieldKind<string> = {
  Input: DateInput,
  line: { input: 'date' },
  cell: (value) => (
    <time dateTime={value} title={value}>
      {days.format(new Date(value))}
    </time>
  ),
  width: 128,
  sample: (_, i) => new Date(Date.now() - i * dayMs).toISOString().slice(0, 10),
}
