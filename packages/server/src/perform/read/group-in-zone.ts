/**
 * Groups moments in a time zone. The offsets of the zone go into the query as values. They are made
 * for a span of time; where the records reach beyond it, the query runs again for a longer one.
 */
import { timestampOf } from '../../base/clock.ts'
import { zoneOffsets } from '../../base/zone-offsets.ts'
import type { Resource } from '../../resource/catalog.ts'
import { fieldOfKey, hasFarKey } from '../../resource/relations/far-field.ts'
import type { ReadStorage, SummaryRequest, SummaryRow } from '../../storage/storage.ts'

type TimeSpan = { readonly from: number; readonly to: number }

/** Offsets begin after this year: before it, each place has the mean time of its sun. */
const zonesFrom = Date.UTC(1800, 0, 1)
/** From here on a zone keeps its offset: its rules of today are no longer a forecast. */
const zonesTo = Date.UTC(2200, 0, 1)
/** Most records are of this time. */
const usual: TimeSpan = { from: Date.UTC(2000, 0, 1), to: Date.UTC(2050, 0, 1) }

/** In the first and the last day that can be stored local time is UTC: no year is beyond both. */
const firstDayEnds = Date.parse('0000-01-02T00:00:00.000Z')
const lastDayBegins = Date.parse('9999-12-31T00:00:00.000Z')
/** Every time that can be stored. */
const whole: TimeSpan = { from: Date.parse('0000-01-01T00:00:00.000Z'), to: lastDayBegins }

function offsetsIn(zone: string, { from, to }: TimeSpan): SummaryRequest['offsets'] {
  const within = (ms: number) => Math.min(Math.max(ms, zonesFrom), zonesTo)
  const change = (fromMs: number, seconds: number) => ({ from: timestampOf(fromMs), seconds })
  const offsets = zoneOffsets(zone, within(from), within(to))
  const changes = offsets.map(({ fromMs, seconds }) => change(fromMs, seconds))
  const [first] = offsets
  if (first && from < firstDayEnds) changes.splice(0, 1, change(from, 0), change(firstDayEnds, first.seconds))
  if (to >= lastDayBegins) changes.push(change(lastDayBegins, 0))
  return changes
}

/** The span of the grouped moments, also of those of the span before. */
function reachedBy(rows: readonly SummaryRow[], fields: readonly string[], { from, to }: TimeSpan): TimeSpan {
  const ends = rows.flatMap((row) => fields.flatMap((field) => Object.values(row.ends.get(field) ?? {})))
  const times = ends.filter((one) => typeof one === 'string').map((one) => Date.parse(one))
  return {
    from: times.reduce((least, one) => Math.min(least, one), from),
    to: times.reduce((most, one) => Math.max(most, one), to),
  }
}

type ZonedRequest = { readonly request: SummaryRequest; readonly zone: string | undefined }

export async function summarizeInZone(
  storage: ReadStorage,
  resource: Resource,
  { request, zone }: ZonedRequest,
): Promise<SummaryRow[]> {
  const ofMoments = request.groups.filter((group) => fieldOfKey(resource, group).type.inTime?.kind === 'moment')
  if (zone === undefined || ofMoments.length === 0) return storage.summarize(resource, request)
  // The ends of records behind references are not read.
  if (hasFarKey(ofMoments)) return storage.summarize(resource, { ...request, offsets: offsetsIn(zone, whole) })
  const moments = ofMoments.map(({ field }) => field)
  const ends = [...new Set([...request.ends, ...moments])]
  for (let span = usual; ; ) {
    const rows = await storage.summarize(resource, { ...request, ends, offsets: offsetsIn(zone, span) })
    const reached = reachedBy(rows, moments, span)
    if (reached.from === span.from && reached.to === span.to) return rows
    span = reached
  }
}
