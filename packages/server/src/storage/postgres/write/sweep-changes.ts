/**
 * Sweeps the change log of PostgreSQL. Without a kept log, old rows go from the beginning on. With
 * one, kept rows go by their age and size, one instance at a time.
 */
import { changesKeptMs, changesTable } from '../../changes.ts'
import { type LogPlace, laterPlace } from '../../derived/kept-log.ts'
import {
  type KeptBounds,
  overdueRows,
  rowSizeSql,
  type SweptState,
  sweptNote,
  sweptStateIn,
} from '../../sql/kept-bounds.ts'
import { floorNote } from '../../sql/kept-changes.ts'
import type { Executor } from '../../sql/reader.ts'
import { findNote, nothingSwept, type RowKey, setNote } from './kept-rows.ts'

const sweptMax = 5_000
const size = rowSizeSql('octet_length')
const lockSql = "SELECT pg_try_advisory_xact_lock(hashtextextended('bindery change log sweep', 0))"
const sweepSql = `DELETE FROM ${changesTable} WHERE at_ms < $1 AND (xid, sequence) IN
  (SELECT xid, sequence FROM ${changesTable} ORDER BY xid, sequence LIMIT $2 FOR UPDATE SKIP LOCKED)`
/** By the columns, not by their texts in the answer: 99 comes before 100, as in the index. */
const inOrder = `${changesTable}.xid, ${changesTable}.sequence`
/** No row is ever inserted before one that is settled. */
export const nextSql = `SELECT xid::text, sequence, at_ms, CASE WHEN settles IS NULL THEN 0 ELSE ${size} END FROM ${changesTable}
  WHERE (xid, sequence) > ($1::text::xid8, $2::bigint) AND xid < pg_snapshot_xmin(pg_current_snapshot()) ORDER BY ${inOrder} LIMIT $3`
const unkeptSql = `DELETE FROM ${changesTable} WHERE (xid, sequence) > ($1::text::xid8, $2::bigint)
  AND (xid, sequence) <= ($3::text::xid8, $4::bigint) AND settles IS NULL`
export const oldestSql = `SELECT xid::text, sequence, at_ms, ${size}, settles::text, ends::text FROM ${changesTable}
  WHERE (xid, sequence) <= ($1::text::xid8, $2::bigint) ORDER BY ${inOrder} LIMIT $3`
const removeSql = `DELETE FROM ${changesTable} WHERE (xid, sequence) <= ($1::text::xid8, $2::bigint)`

const sizedOf = ([xid, sequence, atMs, own, settles, ends]: readonly unknown[]) => ({
  key: [xid as string, Number(sequence)] as const,
  atMs: Number(atMs),
  size: Number(own),
  place: `${settles} ${ends}`,
})

/** Runs in a transaction. Returns whether there may be more. */
export async function sweepUnkept({ run }: Executor, nowMs: number): Promise<boolean> {
  return (await run({ sql: sweepSql, parameters: [nowMs - changesKeptMs, sweptMax] })) >= sweptMax
}

/** The same with a kept log. */
export async function sweepKept(executor: Executor, nowMs: number, bounds: KeptBounds): Promise<boolean> {
  if (!(await executor.first({ sql: lockSql, parameters: [] }))?.[0]) return false
  const before = sweptStateIn<RowKey>(await findNote(executor, sweptNote)) ?? nothingSwept
  const found = (await executor.all({ sql: nextSql, parameters: [...before.at, sweptMax] })).map(sizedOf)
  const young = found.findIndex(({ atMs }) => atMs >= nowMs - changesKeptMs)
  const passed = young === -1 ? found : found.slice(0, young)
  const at = passed.at(-1)?.key ?? before.at
  const bytes = passed.reduce((sum, row) => sum + row.size, before.bytes)
  const kept = before.rows + passed.filter((row) => row.size > 0).length
  if (passed.length > 0) await executor.run({ sql: unkeptSql, parameters: [...before.at, ...at] })
  const oldest = async (limit: number) =>
    (await executor.all({ sql: oldestSql, parameters: [...at, limit] })).map(sizedOf)
  // The oldest one says whether any is due.
  const isDue = overdueRows(await oldest(1), { bytes, bounds, nowMs }).count > 0
  const rows = isDue ? await oldest(sweptMax) : []
  const due = overdueRows(rows, { bytes, bounds, nowMs })
  const gone = rows.slice(0, due.count)
  const last = gone.at(-1)
  if (last) {
    await executor.run({ sql: removeSql, parameters: [...last.key] })
    const floor = (await findNote(executor, floorNote)) ?? '0'
    await setNote(executor, floorNote, gone.map(({ place }): LogPlace => place).reduce(laterPlace, floor))
  }
  const state: SweptState<RowKey> = { at, bytes: Math.max(0, bytes - due.size), rows: Math.max(0, kept - due.count) }
  if (passed.length > 0 || last) await setNote(executor, sweptNote, JSON.stringify(state))
  return passed.length >= sweptMax || due.count >= sweptMax
}
