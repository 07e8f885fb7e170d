/**
 * Pages and totals that are kept as long as they are exact, on any number of instances: a kept one costs a look at the stamp. Tables that are
 * being written to all the time are read each time.
 */
import { LRUCache } from 'lru-cache'
import type { Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import type { Executor, Tools } from '../sql/reader.ts'
import { keyOf } from '../sql/statements.ts'
import type { Page, PageRequest, Row } from '../storage.ts'
import { makeShare } from './share.ts'
import { makeStamps, stampKeyOf } from './stamps.ts'

/** Up to here it costs less to read past the rows than to ask first whether there are so many. */
const offsetReadThrough = 1000
/** After a write, what is read is not kept for so long: more writes may follow, and to keep something costs a statement. */
const unsettledMs = 20
const keptCharactersMax = 32_000_000

/** What is to be counted, and the name that the total is kept under. */
type Counting = {
  readonly resource: Resource
  readonly where: Condition
  readonly resources: readonly Resource[]
  readonly key: string
}

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

  function countingOf(resource: Resource, where: Condition): Counting {
    const statement = statements.count(resource, where)
    return { resource, where, resources: statement.resources, key: keyOf(statement) }
  }

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

  /** Kept if nobody wrote since `keepAt`. */
  async function readCount({ resource, where, key }: Counting, keepAt: number | undefined) {
    const cells = await executor.first(statements.count(resource, where, { stamped: true }))
    const [total, stamp] = cells as [number, number]
    if (stamp === keepAt) kept.set(key, { value: total, stamp })
    return { total, stamp }
  }

  async function count(counting: Counting): Promise<number> {
    const { value, keepAt } = await look(counting.key, counting.resources)
    if (value !== undefined) return value as number
    return share(counting.key, async () => (await readCount(counting, keepAt)).total)
  }

  /** Kept under `key` if nobody wrote since `keepAt`. */
  async function readPage(key: string, counting: Counting, request: PageRequest, keepAt: number | undefined) {
    const { resource } = counting
    const { limit, offset } = request
    const keep = (page: Page, isExact: boolean): Page => {
      if (isExact && keepAt !== undefined) kept.set(key, { value: page, stamp: keepAt })
      return page
    }
    if (offset > offsetReadThrough) {
      const total = await count(counting)
      if (offset >= total) return { rows: [], total }
    }
    const cells = await executor.all(statements.list(resource, request, { stampOf: counting.resources }))
    const rows = cells.map(readerOf(resource))
    const stamp = cells[0]?.at(-1) as number | undefined
    // A page that is not full ends the list: its total needs no counting.
    if (rows.length > 0 && rows.length < limit) return keep({ rows, total: offset + rows.length }, stamp === keepAt)
    const known = kept.get(counting.key)
    if (known && known.stamp === stamp) return keep({ rows, total: known.value as number }, stamp === keepAt)
    const counted = await readCount(counting, keepAt)
    return keep({ rows, total: counted.total }, counted.stamp === keepAt && (stamp ?? counted.stamp) === keepAt)
  }

  return {
    count: (resource, where) => count(countingOf(resource, where)),
    async page(resource, request) {
      const { where, sort, limit, offset } = request
      const counting = countingOf(resource, where)
      const key = `${counting.key} ${JSON.stringify([sort, limit, offset])}`
      const { value, keepAt } = await look(key, counting.resources)
      return value !== undefined ? (value as Page) : share(key, () => readPage(key, counting, request, keepAt))
    },
    forget: () => kept.clear(),
  }
}
