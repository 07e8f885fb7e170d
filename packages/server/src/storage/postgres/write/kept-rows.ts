/**
 * The kept part of the change log on PostgreSQL. Transactions commit in another order than that of
 * their ids and sequences. Each row therefore has a place. `settles` is an id above those of all
 * transactions that began before its last write. `ends` is the sequence of that write. All rows of
 * a transaction have one place. Below `pg_snapshot_xmin`, no row is ever inserted. A transaction
 * that waited for another one to write a record has the later place.
 */

import type { Catalog } from '../../../resource/catalog.ts'
import { changesTable } from '../../changes.ts'
import { firstPlace, type KeptFigures, type KeptLog, type LogPlace, laterPlace } from '../../derived/kept-log.ts'
import { parseMarks, withNewMark } from '../../derived/log-marks.ts'
import { changeColumns, readChange } from '../../sql/change-rows.ts'
import { rowSizeSql, type SweptState, sweptNote, sweptStateIn } from '../../sql/kept-bounds.ts'
import {
  drawEpoch,
  epochNote,
  floorNote,
  keptNames,
  keptResources,
  lastSince,
  loggedNote,
  makeKeptLog,
  marksNote,
  nextLogged,
} from '../../sql/kept-changes.ts'
import type { Executor } from '../../sql/reader.ts'
import { findOpenWriters } from '../inspect/open-writers.ts'

/** The transaction and the sequence of a row. */
export type RowKey = readonly [xid: string, sequence: number]
export const nothingSwept: SweptState<RowKey> = { at: ['0', 0], bytes: 0, rows: 0 }

/** Above every sequence. */
const lastSequence = 9_223_372_036_854_775_807n
/** The place of a row that this statement writes. */
export const settlesSql =
  'greatest(pg_snapshot_xmax(pg_current_snapshot())::text::bigint, pg_current_xact_id()::text::bigint + 1)'
export const nextSequenceSql = `nextval(pg_get_serial_sequence('${changesTable}', 'sequence'))`
/** Adds a row about writes that are not known: `resource` is a text of SQL. */
export const unknownSql = (resource: string): string => `
  INSERT INTO ${changesTable} (sequence, at_ms, resource, kind, records, credential, settles, ends) OVERRIDING SYSTEM VALUE
  SELECT n, extract(epoch FROM clock_timestamp()) * 1000, ${resource}, 'unknown', '[]', 'unknown', ${settlesSql}, n
  FROM (SELECT ${nextSequenceSql} AS n) AS next`
const settledSql = 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint'
/** Belongs to the table: a start with many writers about gets no lock for an index. */
export const keptIndexSql = `CREATE INDEX IF NOT EXISTS bindery_kept_changes ON ${changesTable} (resource, settles, ends, sequence) WHERE settles IS NOT NULL`
/** All rows of a transaction get the place of its last one. */
const movePlacesSql = `UPDATE ${changesTable} SET settles = $1::bigint, ends = $2::bigint
  WHERE xid = pg_current_xact_id() AND settles IS NOT NULL AND ends <> $2::bigint`

const columns = ['xid::text', 'settles::text', 'ends::text', 'sequence', ...changeColumns].map((name) => `c.${name}`)
const behind = '(c.settles, c.ends) > ($1::bigint, $2::bigint) AND c.settles IS NOT NULL'
const inOrder = 'c.settles, c.ends, c.sequence'
const noteOf = (name: string) => `(SELECT value FROM bindery_meta WHERE name = '${name}')`
/** Each resource gives its first rows by the index, and the first of all are among these. */
const readSql = `SELECT b.given::text, ${noteOf(floorNote)}, CASE WHEN c.xid IS NULL THEN ${noteOf(loggedNote)} END, ${columns.join()}
  FROM (SELECT ${settledSql} AS settled, pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS given) AS b LEFT JOIN LATERAL (
  SELECT c.* FROM unnest($3::text[]) AS n(name), LATERAL (SELECT * FROM ${changesTable} AS c
    WHERE c.resource = n.name AND ${behind} AND c.settles <= b.settled ORDER BY ${inOrder} LIMIT $4) AS c
  ORDER BY ${inOrder} LIMIT $4) AS c ON true ORDER BY ${inOrder}`
const ofSql = `SELECT c.sequence, ${changeColumns.map((name) => `c.${name}`).join()} FROM ${changesTable} AS c
  WHERE c.resource = ANY($3::text[]) AND ${behind} ORDER BY ${inOrder} LIMIT $4`
const tailSql = `SELECT count(*)::bigint, coalesce(sum(${rowSizeSql('octet_length')}), 0)::bigint FROM ${changesTable}
  WHERE (xid, sequence) > ($1::text::xid8, $2::bigint) AND settles IS NOT NULL`
const oldestSql = `SELECT at_ms FROM ${changesTable} WHERE settles IS NOT NULL ORDER BY xid, sequence LIMIT 1`
const heldSql = `SELECT count(*)::bigint, min(c.at_ms) FROM unnest($1::text[]) AS n(name), ${changesTable} AS c
  WHERE c.resource = n.name AND c.settles > ${settledSql}`
/** The point before a transaction: no other one has a place between the two. */
const recentSql = `SELECT c.settles::text, (c.ends - 1)::text FROM unnest($1::text[]) AS n(name), LATERAL (SELECT * FROM ${changesTable} AS c
    WHERE c.resource = n.name AND c.settles <= ${settledSql} ORDER BY c.settles DESC, c.ends DESC, c.sequence DESC LIMIT $2) AS c
  ORDER BY c.settles DESC, c.ends DESC, c.sequence DESC LIMIT 1 OFFSET $2 - 1`
/** The last row of the kept log where this holds, with the notes that have places. */
const lastSql = (
  where: string,
) => `SELECT ${noteOf(floorNote)}, ${noteOf(loggedNote)}, c.settles::text, c.ends::text FROM (SELECT 1) AS one LEFT JOIN LATERAL (
  SELECT c.settles, c.ends FROM unnest($1::text[]) AS n(name), LATERAL (SELECT settles, ends FROM ${changesTable} AS c
    WHERE c.resource = n.name AND ${where} ORDER BY settles DESC, ends DESC LIMIT 1) AS c ORDER BY c.settles DESC, c.ends DESC LIMIT 1) AS c ON true`
const endSql = lastSql(`c.settles <= ${settledSql}`)
const writtenSql = lastSql('c.settles IS NOT NULL')
/** The lock that the sessions of all instances share. A drawer of a mark has it alone. */
const openLock = "hashtextextended('bindery kept log ' || current_schema(), 0)"
const aloneSql = `SELECT pg_try_advisory_xact_lock(${openLock})`
/** For each session of an instance that gives positions. */
export const joinSql = `SELECT pg_advisory_lock_shared(${openLock})`
const noteSql = 'SELECT value FROM bindery_meta WHERE name = $1'
const keepSql = 'INSERT INTO bindery_meta VALUES ($1, $2) ON CONFLICT (name) DO NOTHING'
const setSql = 'INSERT INTO bindery_meta VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value'
/** A row of this server that a snapshot sees is below its end. */
const removeForeignSql = `WITH ahead AS (SELECT FROM ${changesTable} WHERE xid >= pg_snapshot_xmax(pg_current_snapshot()) LIMIT 1),
  gone AS (DELETE FROM ${changesTable} WHERE EXISTS (SELECT FROM ahead))
  DELETE FROM bindery_meta WHERE name = ANY($1::text[]) AND EXISTS (SELECT FROM ahead)`

/** The parts of a place: `12 7` → `['12', '7']` */
function partsOf(place: LogPlace): readonly [string, string] {
  const [settles = '0', ends = '0'] = place.split(' ')
  return [settles, ends]
}

/**
 * The end of the log: the place of its last row, or of a note behind that. The number of a moment
 * would say less: a copy has it without the same rows.
 */
async function endOf({ first }: Executor, sql: string, names: readonly string[]) {
  const cells = (await first({ sql, parameters: [names] })) as readonly (string | null)[] | undefined
  const [floor, logged, settles, ends] = cells ?? []
  const last = settles == null ? firstPlace : `${settles} ${ends}`
  return [floor ?? firstPlace, lastSince(logged ?? undefined)].reduce(laterPlace, last)
}

const behindAll = (settled: unknown): LogPlace => `${settled} ${lastSequence}`

export async function findNote({ first }: Executor, name: string): Promise<string | undefined> {
  return (await first({ sql: noteSql, parameters: [name] }))?.[0] as string | undefined
}

export async function setNote({ run }: Executor, name: string, value: string): Promise<void> {
  await run({ sql: setSql, parameters: [name, value] })
}

/**
 * At start: removes a log with ids of transactions that this server has not given yet. A dump of
 * another server has them: their places would be above those of all writes to come. The log gets a
 * new name then, because positions in the other one mean nothing here.
 */
export async function removeForeignLog(executor: Executor): Promise<void> {
  await executor.run({ sql: removeForeignSql, parameters: [[epochNote, floorNote, loggedNote, marksNote, sweptNote]] })
}

/**
 * At start: notes which fields the log keeps from here on. Call it when this process follows the
 * log: it then sees writes of instances that do not keep them yet.
 */
export async function beginKeeping(executor: Executor, catalog: Catalog): Promise<void> {
  const isKept = keptResources(catalog).length > 0
  const noted = await findNote(executor, loggedNote)
  if (!isKept && noted === undefined) return
  if (isKept) await executor.run({ sql: keepSql, parameters: [epochNote, drawEpoch()] })
  const bound = await executor.first({ sql: `SELECT ${settledSql}::text`, parameters: [] })
  const next = nextLogged(catalog, noted, behindAll(bound?.[0]))
  if (next !== undefined) await setNote(executor, loggedNote, next)
}

/**
 * At start: draws a mark where no instance has a session. Those that have one have read the marks.
 * Call it in a transaction of a connection that is no such session.
 */
export async function drawMark(executor: Executor, catalog: Catalog): Promise<void> {
  if (!(await executor.first({ sql: aloneSql, parameters: [] }))?.[0]) return
  const end = await endOf(executor, writtenSql, keptNames(catalog))
  const floor = (await findNote(executor, floorNote)) ?? firstPlace
  const marks = withNewMark(parseMarks(await findNote(executor, marksNote)), { end, floor })
  await setNote(executor, marksNote, JSON.stringify(marks))
}

/** Call it before the commit of a transaction with several rows of the kept log. */
export async function movePlaces(executor: Executor, place: LogPlace): Promise<void> {
  await executor.run({ sql: movePlacesSql, parameters: [...partsOf(place)] })
}

/** Adds a row for each resource, whose records may all have changed. */
export async function logUnknown(executor: Executor, resources: readonly string[]): Promise<void> {
  for (const resource of resources) await executor.run({ sql: unknownSql('$1'), parameters: [resource] })
}

async function readFigures(
  { first }: Executor,
  names: readonly string[],
  swept: string | undefined,
): Promise<KeptFigures> {
  const { at, rows, bytes } = sweptStateIn<RowKey>(swept) ?? nothingSwept
  const tail = await first({ sql: tailSql, parameters: [...at] })
  const oldest = await first({ sql: oldestSql, parameters: [] })
  const held = await first({ sql: heldSql, parameters: [names] })
  const numberOf = (cell: unknown) => (cell == null ? undefined : Number(cell))
  return {
    rows: rows + Number(tail?.[0]),
    bytes: bytes + Number(tail?.[1]),
    oldestMs: numberOf(oldest?.[0]),
    held: { rows: Number(held?.[0]), oldestMs: numberOf(held?.[1]) },
  }
}

/** Undefined where nothing is kept. */
export function keptLogOf(catalog: Catalog, executor: Executor): KeptLog | undefined {
  if (keptResources(catalog).length === 0) return undefined
  const names = keptNames(catalog)
  return makeKeptLog(catalog, {
    async read(after, limit) {
      const found = await executor.all({ sql: readSql, parameters: [...partsOf(after), names, limit] })
      const rows = found.flatMap(([, , , xid, settles, ends, ...cells]) =>
        xid === null
          ? []
          : [
              {
                change: readChange(catalog, cells),
                transaction: BigInt(xid as string),
                place: `${settles} ${ends}`,
              },
            ],
      )
      const [given, floor, logged] = found[0] as [string, string | null, string | null]
      return {
        rows,
        end: rows.at(-1)?.place ?? lastSince(logged ?? undefined),
        floor: floor ?? firstPlace,
        isAhead: BigInt(partsOf(after)[0]) > BigInt(given),
      }
    },
    end: () => endOf(executor, endSql, names),
    async of({ name }, after, limit) {
      const parameters = [...partsOf(after), [name, names.at(-1)], limit]
      return (await executor.all({ sql: ofSql, parameters })).map((cells) => readChange(catalog, cells))
    },
    note: (name) => findNote(executor, name),
    figures: async () => readFigures(executor, names, await findNote(executor, sweptNote)),
    holders: () => findOpenWriters(executor),
    async recent(count) {
      const found = await executor.first({ sql: recentSql, parameters: [names, count] })
      return found && `${found[0]} ${found[1]}`
    },
  })
}
