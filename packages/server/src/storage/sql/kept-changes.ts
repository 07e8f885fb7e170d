/**
 * The kept log over the rows of a database. It gives whole transactions, the values of records at a
 * place, and since when the log has every change. Each database reads the rows.
 */
import { randomBytes } from 'node:crypto'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { type Change, changesTable } from '../changes.ts'
import {
  comparePlaces,
  firstPlace,
  type KeptChange,
  type KeptChanges,
  type KeptLog,
  type LogPlace,
  laterPlace,
  valuesBefore,
} from '../derived/kept-log.ts'
import { type LogMarks, markAt, parseMarks } from '../derived/log-marks.ts'

/** A row in the order of the log. `place`: the end of its transaction, where the row has it. */
export type KeptRow = { readonly change: Change; readonly transaction: bigint; readonly place?: LogPlace }

/**
 * `floor`: below it, rows are removed. `isAhead`: no place so far behind was given. All are of one
 * moment.
 */
export type ReadRows = {
  readonly rows: readonly KeptRow[]
  readonly end: LogPlace
  readonly floor: LogPlace
  readonly isAhead: boolean
}

export type KeptRows = Pick<KeptLog, 'figures' | 'holders'> & {
  /** Rows behind a place in the order of the log, and the end at the same moment. */
  read(after: LogPlace, limit: number): Promise<ReadRows>
  end(): Promise<LogPlace>
  /** Rows of one resource behind a place, and of cuts. Those that are not settled come too. */
  of(resource: Resource, after: LogPlace, limit: number): Promise<readonly Change[]>
  /** The place before so many of the last rows; undefined where there are fewer. */
  recent(count: number): Promise<LogPlace | undefined>
  /** Notes of the log, by their names. */
  note(name: string): Promise<string | undefined>
}

/** The resources that the log keeps; none where no resource declares `changes`. */
export function keptResources({ resources }: Pick<Catalog, 'resources'>): readonly Resource[] {
  return [...resources.values()].filter(({ loggedNames }) => loggedNames)
}

/** The names in the column `resource` of the rows that readers of the kept log get. */
export const keptNames = (catalog: Catalog): readonly string[] => [
  ...keptResources(catalog).map(({ name }) => name),
  changesTable,
]

/** The names of notes in the service's own table. */
/** The log's random name, and behind it the secret that seals positions. */
export const epochNote = 'changes_epoch'
export const floorNote = 'changes_floor'
export const loggedNote = 'changes_logged'
export const marksNote = 'changes_marks'

/**
 * The kept resources that an instance wrote whose declarations do not keep them: an earlier version
 * of the application. The log lacks those values, so it must say that they are unknown.
 */
export function unkeptResources(catalog: Catalog, changes: readonly Change[]): readonly string[] {
  const names = changes.flatMap(({ resource, kind, records, values, isErased }) => {
    const isKept = catalog.resources.get(resource)?.loggedNames !== undefined
    return isKept && kind !== 'unknown' && !isErased && records.length > 0 && !values ? [resource] : []
  })
  return [...new Set(names)]
}

/** Without the rows of a last transaction that goes on; undefined where that leaves none. */
function wholeOnes(rows: readonly KeptRow[], limit: number): readonly KeptRow[] | undefined {
  if (rows.length <= limit) return rows
  const { transaction } = rows[limit] as KeptRow
  const cut = rows.findIndex((row) => row.transaction === transaction)
  return cut === 0 ? undefined : rows.slice(0, cut)
}

/** The id is a value of every record. */
function withIds(change: Change, resource: Resource | undefined): Change {
  const { values, records } = change
  if (!values || !resource) return change
  const { idField } = resource
  return {
    ...change,
    values: values.map(({ before, after }, i) => {
      const own = { [idField]: records[i]?.id }
      return { ...(before && { before: { ...before, ...own } }), ...(after && { after: { ...after, ...own } }) }
    }),
  }
}

function keptOf(rows: readonly KeptRow[], catalog: Catalog): readonly KeptChange[] {
  const ends = new Map(rows.map(({ transaction, place, change }) => [transaction, place ?? String(change.sequence)]))
  return rows.map(({ change, transaction }, i) => ({
    ...withIds(change, catalog.resources.get(change.resource)),
    transaction,
    place: ends.get(transaction) as LogPlace,
    isLast: rows[i + 1]?.transaction !== transaction,
  }))
}

/** `since` of each resource, by its name. */
export type LoggedSince = Readonly<Record<string, { readonly fields: readonly string[]; readonly since: LogPlace }>>

/** The last place from which the log keeps further fields. */
export function lastSince(text: string | undefined): LogPlace {
  const known = JSON.parse(text ?? '{}') as LoggedSince
  return Object.values(known)
    .map(({ since }) => since)
    .reduce(laterPlace, firstPlace)
}

/** The note of the logged fields with these declarations; undefined where it stays. */
export function nextLogged(catalog: Catalog, text: string | undefined, now: LogPlace): string | undefined {
  const known = (text === undefined ? {} : JSON.parse(text)) as LoggedSince
  const next = keptResources(catalog).map(({ name, loggedNames = [] }) => {
    const before = known[name]
    const isSame = before && loggedNames.every((one) => before.fields.includes(one))
    return [name, { fields: loggedNames, since: isSame ? before.since : now }] as const
  })
  const written = JSON.stringify(Object.fromEntries(next))
  return written === (text ?? '{}') ? undefined : written
}

const epochDigits = 16

/** A new value of `epochNote`: 8 bytes of name and 32 of secret. */
export const drawEpoch = (): string => randomBytes(40).toString('hex')

export function makeKeptLog(catalog: Catalog, stored: KeptRows): KeptLog {
  let drawn: string | undefined
  async function note(): Promise<string> {
    drawn ??= await stored.note(epochNote)
    return drawn as string
  }
  let marks: LogMarks | undefined
  async function renewMarks(): Promise<void> {
    marks = parseMarks(await stored.note(marksNote))
  }
  async function read(after: LogPlace, limit: number): Promise<KeptChanges> {
    const { rows, end, floor, isAhead } = await stored.read(after, limit + 1)
    const loss = isAhead ? 'ahead' : comparePlaces(after, floor) < 0 ? 'cut' : undefined
    if (loss) return { changes: [], place: await stored.end(), isEnd: true, loss }
    const whole = wholeOnes(rows, limit)
    if (!whole) return read(after, limit * 2)
    const isEnd = whole.length === rows.length
    const changes = keptOf(whole, catalog)
    const place = isEnd ? laterPlace(after, end) : (changes.at(-1)?.place as LogPlace)
    return { changes, place, isEnd, loss: undefined }
  }
  return {
    epoch: async () => (await note()).slice(0, epochDigits),
    async sealing() {
      if (!marks) await renewMarks()
      return { secret: await note(), markAt: (place) => markAt(marks as LogMarks, place) }
    },
    renewMarks,
    end: stored.end,
    read,
    figures: stored.figures,
    holders: stored.holders,
    async recent(count) {
      const floor = (await stored.note(floorNote)) ?? firstPlace
      return laterPlace(floor, (await stored.recent(count)) ?? firstPlace)
    },
    async since(resources) {
      const known = JSON.parse((await stored.note(loggedNote)) ?? '{}') as LoggedSince
      const floor = (await stored.note(floorNote)) ?? firstPlace
      return resources.map(({ name }) => known[name]?.since ?? firstPlace).reduce(laterPlace, floor)
    },
    async touched(resource, after, limit) {
      const changes = await stored.of(resource, after, limit + 1)
      if (comparePlaces(after, (await stored.note(floorNote)) ?? firstPlace) < 0) return 'cut'
      const found = valuesBefore(changes.map((change) => withIds(change, catalog.resources.get(change.resource))))
      return typeof found !== 'string' && changes.length > limit ? 'many' : found
    },
  }
}
