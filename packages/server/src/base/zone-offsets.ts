/**
 * Offsets of time zones from UTC, by Node's zone data (`Intl`): at one moment, and all changes of a
 * span. Local mean times of the time before zones have seconds.
 */
/** From this moment on, until the next one, local time is UTC and so many seconds. */
export type ZoneOffset = { readonly fromMs: number; readonly seconds: number }

const written = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/

/** No zone has changed for less than six days and changed back: Gaza does for 6 days 23 hours. */
const stepMs = 6 * 86_400_000

/**
 * Makes a function that tells the offset at a moment, in seconds. Throws a RangeError for a zone
 * that Node's data do not have.
 */
export function offsetReader(zone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
  return (ms) => {
    const text = format.format(ms)
    const found = written.exec(text)
    if (!found) throw new Error(`no offset of ${zone} in: ${text}`)
    const [, sign, hours = '0', minutes = '0', seconds = '0'] = found
    const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
    return sign === '-' ? -size : size
  }
}

/** The first second with the offset of `to`, where the offsets of both differ. */
function changeBetween(offsetAt: (ms: number) => number, from: number, to: number): number {
  const before = offsetAt(from)
  let [low, high] = [Math.floor(from / 1000), Math.ceil(to / 1000)]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle * 1000) === before) low = middle
    else high = middle
  }
  return high * 1000
}

/**
 * The offsets from one moment to another, in order; the first holds also before it.
 */
export function zoneOffsets(zone: string, fromMs: number, toMs: number): ZoneOffset[] {
  const offsetAt = offsetReader(zone)
  const offsets: ZoneOffset[] = [{ fromMs, seconds: offsetAt(fromMs) }]
  for (let ms = fromMs; ms < toMs; ) {
    const next = Math.min(ms + stepMs, toMs)
    let at = ms
    // Two changes may lie in one step.
    for (let known = offsets.at(-1)?.seconds; offsetAt(next) !== known; known = offsets.at(-1)?.seconds) {
      at = changeBetween(offsetAt, at, next)
      offsets.push({ fromMs: at, seconds: offsetAt(at) })
    }
    ms = next
  }
  return offsets
}
