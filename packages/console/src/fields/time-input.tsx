/** A moment, written in the reader's time zone, with UTC beside it. */
import { attributesOf, type ControlProps, emptyOf } from './control.ts'

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
const two = (part: number) => String(part).padStart(2, '0')

/** `2026-01-31T12:00:00Z` → `2026-01-31T13:00` in Berlin; seconds only where there are some. */
export function localOf(iso: unknown): string {
  const at = new Date(String(iso ?? ''))
  if (Number.isNaN(at.getTime())) return ''
  const day = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  const seconds = at.getSeconds() > 0 ? `:${two(at.getSeconds())}` : ''
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}${seconds}`
}

/** `2026-01-31 12:00 UTC` */
export function utcOf(iso: unknown): string {
  const at = new Date(String(iso ?? ''))
  return Number.isNaN(at.getTime()) ? 'UTC' : `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

export function TimeInput(props: ControlProps) {
  const { field, value, onChange } = props
  function type(local: string): void {
    const at = new Date(local)
    onChange(Number.isNaN(at.getTime()) ? emptyOf(field) : at.toISOString())
  }
  return (
    <div className="beside">
      <input
        {...attributesOf(props)}
        type="datetime-local"
        value={localOf(value)}
        onChange={(event) => type(event.target.value)}
      />
      <span className="quiet small">
        {zone} · {utcOf(value)}
      </span>
    </div>
  )
}
