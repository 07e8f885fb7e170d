/** A time of day: no time zone moves it. */
import { locale } from '../../words/words.ts'
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

const short = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'UTC' })
const long = new Intl.DateTimeFormat(locale, { timeStyle: 'medium', timeZone: 'UTC' })

/** In the writing of the reader. Parts of seconds stay as they are stored. */
function shown(value: string): string {
  const [, seconds = '00', part] = /^\d\d:\d\d(?::(\d\d)(\.\d+)?)?$/.exec(value) ?? []
  if (part !== undefined) return value
  const day = new Date(`1970-01-01T${value.slice(0, 5)}:${seconds}Z`)
  return Number.isNaN(day.getTime()) ? value : (seconds === '00' ? short : long).format(day)
}

export const clockKind: FieldKind<string> = {
  Input: ClockInput,
  line: { input: 'time' },
  cell: (value) => <time dateTime={value}>{shown(value)}</time>,
  width: 112,
  sample: (_, i) => `${String((8 + i) % 24).padStart(2, '0')}:30:00`,
}
