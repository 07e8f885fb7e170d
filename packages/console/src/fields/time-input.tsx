/** A moment, written in the reader's time zone, with UTC beside it. */
import { attributesOf, type ControlProps } from './control.ts'
import { typedFrom, valueFrom } from './typed-value.ts'

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** `2026-01-31 12:00 UTC` */
export function utcOf(iso: unknown): string {
  const at = new Date(String(iso ?? ''))
  return Number.isNaN(at.getTime()) ? 'UTC' : `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

export function TimeInput(props: ControlProps) {
  const { field, value, onChange } = props
  return (
    <div className="beside">
      <input
        {...attributesOf(props)}
        type="datetime-local"
        value={typedFrom(field, value)}
        onChange={({ target }) => onChange(target.value === '' ? null : valueFrom(field, target.value))}
      />
      <span className="quiet small">
        {zone} · {utcOf(value)}
      </span>
    </div>
  )
}
