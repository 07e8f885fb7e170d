/**
 * Reads lists, single records and streams. The caller's condition is part of every query: a record
 * that is not visible does not exist.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../errors.ts'
import { writeCursor } from '../../operation/cursor.ts'
import { addsToRecords } from '../../operation/expansion.ts'
import { listLimits } from '../../operation/list-limits.ts'
import { notFound } from '../../operation/not-found.ts'
import type { ExportOperation, GetOperation, ListOperation, Paging } from '../../operation/operation.ts'
import { parameterError } from '../../operation/parameters.ts'
import type { Permitted } from '../../policy/policy.ts'
import type { Resource, SortKey } from '../../resource/catalog.ts'
import { all, type Condition } from '../../resource/condition.ts'
import { hasFarKey } from '../../resource/relations/far-field.ts'
import type { Reader, Row } from '../../storage/storage.ts'
import type { Represented } from '../../value/represent.ts'
import type { Engine } from '../engine.ts'
import type { ListResult, RecordResult, StreamResult } from '../result.ts'
import { makeSingle } from '../single.ts'
import { expandRows, neededNames } from './expand.ts'
import { resolveUnder, whereOf } from './find.ts'
import { makeChunkJudge } from './judge-chunks.ts'
import { withVirtualFields } from './related.ts'
import { namesToLoad } from './shown-version.ts'

/** Rows per read while streaming. */
const chunkRows = 500
const resumeMsMax = 5_000
const resumeStepMs = 200

type CompleteContext = { readonly engine: Engine; readonly reader: Reader; readonly permitted: Permitted }

/**
 * Adds the virtual fields that the operation shows; all of them, where the rows belong to another
 * resource than the operation's.
 */
export function completeRecords(
  { engine, reader, permitted }: CompleteContext,
  resource: Resource,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const names = resource === permitted.operation.resource ? neededNames(permitted.operation) : null
  return withVirtualFields({ engine, reader, principal: permitted.principal }, { resource, rows, names })
}

/** The members that the operation adds to these records; undefined where it adds none. */
async function related(
  engine: Engine,
  { operation, asking, read }: Permitted<GetOperation | ListOperation>,
  rows: readonly Row[],
): Promise<readonly Represented[] | undefined> {
  const { resource } = operation
  if (!addsToRecords(operation)) return undefined
  return expandRows({ engine, reader: engine.storage, principal: asking }, { resource, rows, foundBy: read }, operation)
}

export async function performGet(engine: Engine, permitted: Permitted<GetOperation>): Promise<RecordResult> {
  const { storage } = engine
  const { operation, read } = permitted
  const where = all(await whereOf(storage, permitted), read)
  let found = (await storage.find(operation.resource, where))?.row
  if (!found && operation.id === undefined) found = await makeSingle(engine, permitted, where)
  if (!found) throw notFound(operation.resource, 'get')
  const { resource } = operation
  const loading = { engine, reader: storage, principal: permitted.principal }
  const names = namesToLoad(resource, neededNames(operation))
  const records = await withVirtualFields(loading, { resource, rows: [found], names })
  const [expanded] = (await related(engine, permitted, records)) ?? []
  return { kind: 'record', resource, record: records[0] as Row, created: false, expanded }
}

async function whereOfList(engine: Engine, permitted: Permitted<ListOperation | ExportOperation>): Promise<Condition> {
  const { operation, read, steps } = permitted
  const above = operation.under ? (await resolveUnder(engine.storage, operation.under, steps)).condition : all()
  const where = all(above, operation.query.where, read)
  if (hasFarKey(operation.query.sort)) await checkFarSorted(engine, operation, where)
  return where
}

/** Throws `bad-request` where too many records would be sorted through a reference. */
async function checkFarSorted(
  { storage }: Engine,
  { resource, query }: ListOperation | ExportOperation,
  where: Condition,
): Promise<void> {
  const { farSortedMax } = listLimits
  if ((await storage.count(resource, where)) <= farSortedMax) return
  const path = query.sort.find(({ far }) => far)?.field
  throw parameterError(
    'sort',
    `Cannot sort more than ${farSortedMax} records by ${path}; narrow the list by a filter, or sort by a field of its own`,
  )
}

/** The page after the row `after`, read with one row more to know whether another page follows. */
async function cursorPage(
  engine: Engine,
  resource: Resource,
  list: { where: Condition; sort: readonly SortKey[]; paging: Paging & { kind: 'cursor' } },
): Promise<Pick<ListResult, 'records' | 'page'>> {
  const { where, sort, paging } = list
  const rows = await engine.storage.list(resource, { where, sort, limit: paging.limit + 1, after: paging.after })
  const records = rows.slice(0, paging.limit)
  const last = rows.length > paging.limit ? records.at(-1) : undefined
  const { fingerprint } = paging
  const cursor = last && (fingerprint ? writeCursor(fingerprint, sort, last) : String(last[resource.idField]))
  return { records, page: { kind: 'cursor', limit: paging.limit, nextCursor: cursor ?? null } }
}

export async function performList(
  engine: Engine,
  permitted: Permitted<ListOperation>,
): Promise<ListResult | StreamResult> {
  const { resource, query } = permitted.operation
  const { sort, paging } = query
  const where = await whereOfList(engine, permitted)
  if (paging.kind === 'all') return { kind: 'stream', resource, chunks: streamRows(engine, permitted, where) }
  const answer = async (rows: readonly Row[], page: ListResult['page']): Promise<ListResult> => {
    const records = await completeRecords({ engine, reader: engine.storage, permitted }, resource, rows)
    return { kind: 'list', resource, records, expanded: await related(engine, permitted, records), page }
  }
  if (paging.kind === 'cursor') {
    const { records, page } = await cursorPage(engine, resource, { where, sort, paging })
    return answer(records, page)
  }
  const { page, limit } = paging
  const offset = (page - 1) * limit
  const request = { where, sort, limit, offset: Math.min(offset, Number.MAX_SAFE_INTEGER) }
  if (query.total) {
    const { rows, total } = await engine.storage.page(resource, request)
    return answer(rows, { kind: 'page', page, limit, total })
  }
  const rows = await engine.storage.list(resource, { ...request, limit: limit + 1 })
  return answer(rows.slice(0, limit), { kind: 'page', page, limit, total: null, hasNext: rows.length > limit })
}

/**
 * Once part of the answer is sent, waits out a short outage of the database: the next chunk
 * continues where the last one ended.
 */
async function readOn<T>(read: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + resumeMsMax
  for (;;) {
    try {
      return await read()
    } catch (error) {
      const isPassing = error instanceof ApiError && error.code === 'unavailable'
      if (!isPassing || performance.now() > untilMs) throw error
      await sleep(resumeStepMs)
    }
  }
}

/** An export has all fields, also those that other answers show where they are named. */
function completeExported(completing: CompleteContext, rows: readonly Row[]): Promise<readonly Row[]> {
  const { operation, visible } = completing.permitted
  const { resource, kind, select } = operation
  if (kind !== 'export' || select !== null || resource.linkNames.length === 0)
    return completeRecords(completing, resource, rows)
  const { engine, reader, permitted } = completing
  return withVirtualFields({ engine, reader, principal: permitted.principal }, { resource, rows, names: [...visible] })
}

/** One chunk at a time: no statement stays open, and memory does not grow. */
async function* streamRows(
  engine: Engine,
  permitted: Permitted<ListOperation | ExportOperation>,
  where: Condition,
): AsyncGenerator<readonly Row[]> {
  const { resource, query } = permitted.operation
  const walk = engine.storage.walk(resource, { where, sort: query.sort, limit: chunkRows })
  try {
    const judge = makeChunkJudge(engine, permitted)
    for (let isFirst = true; ; isFirst = false) {
      const read = isFirst ? <T>(once: () => Promise<T>) => once() : readOn
      const rows = await read(walk.next)
      if (rows.length === 0) return
      const judged = isFirst ? permitted : await read(() => judge(rows))
      yield await read(() => completeExported({ engine, reader: engine.storage, permitted: judged }, rows))
    }
  } finally {
    walk.close()
  }
}

export async function performExport(engine: Engine, permitted: Permitted<ExportOperation>): Promise<StreamResult> {
  const where = await whereOfList(engine, permitted)
  return { kind: 'stream', resource: permitted.operation.resource, chunks: streamRows(engine, permitted, where) }
}
