/**
 * Names of files in a place of log copies: `log/<stream>/…`. From the names alone follows which
 * moments can be restored.
 */

export const logFolder = 'log/'

/**
 * `20261126T105700123Z-a1b2`: the time at which a stream of copies began, and a random part that
 * makes it unique.
 */
export function isStreamName(name: string): boolean {
  return /^\d{8}T\d{9}Z-[0-9a-f]{4}$/.test(name)
}

/** Whether a folder of a place of backups has log copies: `log/`, or that of a stream. */
export function isOwnFolder(folder: string): boolean {
  const [, stream] = /^log\/(?:([^/]+)\/)?$/.exec(folder) ?? [undefined, 'no']
  return stream === undefined || isStreamName(stream)
}

/** A segment of the log. */
export type SegmentName = { readonly name: string; readonly number: number; readonly untilMs: number }
/**
 * A full copy, to which segments from `first` on are applied. It is consistent from the segment
 * `right` on, at `untilMs`.
 */
export type BaseCopyName = {
  readonly name: string
  readonly first: number
  readonly right: number
  readonly untilMs: number
}
export type LogStream = {
  readonly stream: string
  readonly bases: readonly BaseCopyName[]
  readonly segments: readonly SegmentName[]
}

const padded = (number: number) => String(number).padStart(10, '0')

export function printSegment(
  stream: string,
  { number, untilMs }: Omit<SegmentName, 'name'>,
  encrypted: boolean,
): string {
  return `${logFolder}${stream}/${padded(number)}-${untilMs}.zst${encrypted ? '.age' : ''}`
}

export function printBaseCopy(
  stream: string,
  { first, right, untilMs }: Omit<BaseCopyName, 'name'>,
  encrypted: boolean,
): string {
  return `${logFolder}${stream}/base-${padded(first)}-${padded(right)}-${untilMs}.tar.zst${encrypted ? '.age' : ''}`
}

/** The name that says until when no more was written, where no segment does. */
export function aliveName(stream: string): string {
  return `${logFolder}${stream}/until.json`
}

/** The contents of a place by stream, the oldest first. */
export function parseStreams(names: readonly string[]): LogStream[] {
  const streams = new Map<string, { bases: BaseCopyName[]; segments: SegmentName[] }>()
  for (const name of [...names].sort()) {
    const [, stream = '', rest = ''] = /^log\/([^/]+)\/([^/]+)$/.exec(name) ?? []
    if (!isStreamName(stream)) continue
    const found = streams.get(stream) ?? { bases: [], segments: [] }
    streams.set(stream, found)
    const segment = /^(\d+)-(\d+)\.zst(\.age)?$/.exec(rest)
    if (segment) found.segments.push({ name, number: Number(segment[1]), untilMs: Number(segment[2]) })
    const base = /^base-(\d+)-(\d+)-(\d+)\.tar\.zst(\.age)?$/.exec(rest)
    if (base) found.bases.push({ name, first: Number(base[1]), right: Number(base[2]), untilMs: Number(base[3]) })
  }
  return [...streams].map(([stream, found]) => ({ stream, ...found }))
}

/**
 * The files that restore the latest moment up to a given one. Undefined where the copies do not
 * reach back so far.
 */
export type RestorePoint = {
  readonly stream: string
  readonly base: BaseCopyName
  readonly segments: readonly SegmentName[]
}

/** The segments from a number on, without gaps, up to that time. */
function following(segments: readonly SegmentName[], first: number, atMs: number): SegmentName[] {
  const found: SegmentName[] = []
  for (const segment of segments) {
    if (segment.number < first) continue
    if (segment.number !== first + found.length || segment.untilMs > atMs) break
    found.push(segment)
  }
  return found
}

export function findRestorePoint(streams: readonly LogStream[], atMs: number): RestorePoint | undefined {
  for (const { stream, bases, segments } of [...streams].reverse())
    for (const base of [...bases].reverse()) {
      if (base.untilMs > atMs) continue
      const after = following(segments, base.first, atMs)
      if (base.first + after.length - 1 >= base.right) return { stream, base, segments: after }
    }
  return undefined
}

/**
 * The files that no restore to a moment after `beforeMs` needs. `current`: the stream that is being
 * written.
 */
export function findExpired(streams: readonly LogStream[], beforeMs: number, current: string): string[] {
  return streams.flatMap(({ stream, bases, segments }) => {
    const last = [...bases, ...segments].reduce((latest, { untilMs }) => Math.max(latest, untilMs), 0)
    if (stream !== current && last < beforeMs)
      return [...bases, ...segments].map(({ name }) => name).concat(aliveName(stream))
    const needed = bases.filter(({ untilMs }) => untilMs <= beforeMs).at(-1)
    if (!needed) return []
    const old = [
      ...bases.filter(({ first }) => first < needed.first),
      ...segments.filter(({ number }) => number < needed.first),
    ]
    return old.map(({ name }) => name)
  })
}
