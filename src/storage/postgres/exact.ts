/**
 * Pages and totals that are kept as long as they are exact, on any number of instances: a kept one costs a look at the stamp. Tables that are
 * being written to all the time are read each time.
 */
import { LRUCache } from 'lru-cache'
import type { Condition } from '../../operation/condition.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { Executor, Tools } from '../reader.ts'
import type { Statement } from '../statements.ts'
import type { Page, PageRequest, Row } from '../storage.ts'
import { makeShare } from './share.ts'
import { makeStamps, stampKeyOf } from './stamps.ts'

/** Up to here it costs less to read past the rows than to ask first whether there are so many. */
const offsetReadThrough = 1000
/** After a write, what is read is not kept for so long: more writes may follow, and to keep something costs a statement. */
const unsettledMs = 20
const keptCharactersMax = 32_000_000

type Kept = { readonly value: Page | number; readonly stamp: number }

export type Exact = {
  count(resource: Resource, where: Condition): Promise<number>
  page(resource: Resource, request: PageRequest): Promise<Page>
  /** Another server may answer next, which has not seen everything: what was read from this one says nothing. */
  forget(): void
}

function sizeOf({ value }: Kept): number {
  if (typeof value === 'number') return 100
  const ofRow = (row: Row) => Object.values(row).reduce<number>((sum, cell) => sum + 20 + String(cell).length, 100)
  return value.rows.reduce((sum, row) => sum + ofRow(row), 100)
}

type Parts = { readonly executor: Executor; readonly urgent: Executor; readonly tools: Tools }

export function makeExact({ executor, urgent, tools: { statements, readerOf } }: Parts): Exact {
  const stamps = makeStamps(urgent) // no lock on a table holds these up
  const kept = new LRUCache<string, Kept>({ maxSize: keptCharactersMax, sizeCalculation: sizeOf })
  const share = makeShare()
  const seen = new Map<string, { stamp: number; sinceMs: number }>()

  function isSettled(resources: readonly Resource[], stamp: number): boolean {
    const key = stampKeyOf(resources)
    const last = seen.get(key)
    if (last?.stamp === stamp) return performance.now() - last.sinceMs > unsettledMs
    seen.set(key, { stamp, sinceMs: last ? performance.now() : Number.NEGATIVE_INFINITY })
    return last === undefined
  }

  /** The kept value, if it is true now; else whether what is read next may be kept, and under which stamp. */
  async function look(key: string, resources: readonly Resource[]) {
    const stamp = await stamps.now(resources)
    const known = kept.get(key)
    if (known?.stamp === stamp) return { value: known.value }
    if (!isSettled(resources, stamp)) return { keepAt: undefined }
    const before = await stamps.quiet(resources)
    return { keepAt: before.isQuiet ? before.stamp : undefined }
  }

  async function countStamped(resource: Resource, where: Condition): Promise<[count: number, stamp: number]> {
    const cells = await executor.first(statements.count(resource, where, { stamped: true }))
    return cells as [number, number]
  }

  function countKeyOf({ sql, parameters }: Statement): string {
    return `${sql} ${JSON.stringify(parameters)}`
  }

  async function readCount(resource: Resource, where: Condition, keepAt: number | undefined): Promise<number> {
    const [total, stamp] = await countStamped(resource, where)
    if (stamp === keepAt) kept.set(countKeyOf(statements.count(resource, where)), { value: total, stamp })
    return total
  }

  async function count(resource: Resource, where: Condition): Promise<number> {
    const statement = statements.count(resource, where)
    const key = countKeyOf(statement)
    const { value, keepAt } = await look(key, statement.resources)
    return value !== undefined ? (value as number) : share(key, () => readCount(resource, where, keepAt))
  }

  /** Kept under `key` if nobody wrote meanwhile. */
  async function readPage(
    key: string,
    resource: Resource,
    request: PageRequest,
    keepAt: number | undefined,
  ): Promise<Page> {
    const { where, limit, offset } = request
    const counting = statements.count(resource, where)
    const keep = (page: Page, isExact: boolean): Page => {
      if (isExact && keepAt !== undefined) kept.set(key, { value: page, stamp: keepAt })
      return page
    }
    if (offset > offsetReadThrough) {
      const total = await count(resource, where)
      if (offset >= total) return { rows: [], total }
    }
    const cells = await executor.all(statements.list(resource, request, { stampOf: counting.resources }))
    const rows = cells.map(readerOf(resource))
    const stamp = cells[0]?.at(-1) as number | undefined
    // A page that is not full ends the list: its total needs no counting.
    if (rows.length > 0 && rows.length < limit) return keep({ rows, total: offset + rows.length }, stamp === keepAt)
    const known = kept.get(countKeyOf(counting))
    if (known && known.stamp === stamp) return keep({ rows, total: known.value as number }, stamp === keepAt)
    const [total, counted] = await countStamped(resource, where)
    if (counted === keepAt) kept.set(countKeyOf(counting), { value: total, stamp: counted })
    return keep({ rows, total }, counted === keepAt && (stamp ?? counted) === keepAt)
  }

  return {
    count,
    async page(resource, request) {
      const { sort, limit, offset } = request
      const counting = statements.count(resource, request.where)
      const key = `${countKeyOf(counting)} ${JSON.stringify([sort, limit, offset])}`
      const { value, keepAt } = await look(key, counting.resources)
      return value !== undefined ? (value as Page) : share(key, () => readPage(key, resource, request, keepAt))
    },
    forget: () => kept.clear(),
  }
}
