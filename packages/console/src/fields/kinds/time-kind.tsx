/** A moment, written and shown in the reader's time zone, with UTC beside it. */
import { locale } from '../../words/words.ts'
import { attributesOf, type ControlProps } from '../control.ts'
import type { FieldKind, LineKind } from '../field-kind.ts'

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
const times = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const dayMs = 86_400_000

/** `2026-01-31 12:00 UTC` */
function utcOf(iso: unknown): string {
  const at = new Date(String(iso ?? ''))
  return Number.isNaN(at.getTime()) ? 'UTC' : `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** An input of a time has the reader's zone, and no zone in its text. */
function print(value: unknown): string {
  const at = new Date(String(value))
  if (Number.isNaN(at.getTime())) return String(value)
  const here = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, -1)
  return here.replace(/(:00)?\.000$/, '')
}

const local = /^\d{4,6}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/

/** Only a local time becomes one of UTC. The server judges others: `31.01.2026`, or February 30. */
function read(typed: string): string {
  const at = new Date(typed)
  const isRead = local.test(typed) && !Number.isNaN(at.getTime())
  return isRead && print(at.toISOString()).slice(0, 10) === typed.slice(0, 10) ? at.toISOString() : typed
}

function TimeInput(props: ControlProps) {
  const { value, onChange } = props
  return (
    <div className="beside">
      <input
        {...attributesOf(props)}
        type="datetime-local"
        step="any"
        value={value == null ? '' : print(value)}
        onChange={({ target }) => onChange(target.value === '' ? null : read(target.value))}
      />
      <span className="quiet small">
        {zone} · {utcOf(value)}
      </span>
    </div>
  )
}

function show(value: string) {
  return (
    <time dateTime={value} title={value}>
      {times.format(new Date(value))}
    </time>
  )
}

const line: LineKind = { input: 'datetime-local', print, read }

export const timeKind: FieldKind<string> = {
  Input: TimeInput,
  line,
  cell: show,
  whole: (value) => (
    <>
      {show(value)} <span className="quiet small">{utcOf(value)}</span>
    </>
  ),
  width: 192,
  sample: (_, i) => new Date(Date.now() - i * dayMs).toISOString(),
}
