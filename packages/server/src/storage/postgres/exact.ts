/**
 * A cache of pages and totals that are exact on any number of instances: before one is used, the change log is asked what was committed
 * since it was read.
 */

import { LRUCache } from 'lru-cache'
import type { Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import type { Changes } from '../changes.ts'
import { clientHasLeft } from '../costly-reads.ts'
import { makeGenerations } from '../generations.ts'
import type { Executor, Tools } from '../sql/reader.ts'
import { keyOf } from '../sql/statements.ts'
import type { Asker, ListRequest, Page, PageRequest, Row } from '../storage.ts'
import { makeShare } from './share.ts'

/** Up to this offset, reading past the rows costs less than counting first whether there are so many. */
const offsetReadThrough = 1000
const keptCharactersMax = 32_000_000

/** What to count, and the key that its total is cached under. */
type Counting = {
  readonly resource: Resource
  readonly where: Condition
  readonly resources: readonly Resource[]
  readonly key: string
  readonly reading: Reading
}

type Kept = { readonly value: Page | number; readonly generation: number }

/** What runs the statements of one caller, by what they may cost. */
export type Reading = {
  readonly asker?: Asker
  ofList(resource: Resource, request: ListRequest): Executor | Promise<Executor>
  ofCount(resource: Resource, where: Condition): Executor | Promise<Executor>
}

export type Exact = {
  count(resource: Resource, where: Condition, reading?: Reading): Promise<number>
  page(resource: Resource, request: PageRequest, reading?: Reading): Promise<Page>
}

function sizeOf({ value }: Kept): number {
  if (typeof value === 'number') return 100
  const ofRow = (row: Row) => Object.values(row).reduce<number>((sum, cell) => sum + 20 + String(cell).length, 100)
  return value.rows.reduce((sum, row) => sum + ofRow(row), 100)
}

type Parts = { readonly executor: Executor; readonly changes: Changes; readonly tools: Tools }

export function makeExact({ executor, changes, tools: { statements, readerOf } }: Parts): Exact {
  const generations = makeGenerations(changes)
  const memory = new LRUCache<string, Kept>({ maxSize: keptCharactersMax, sizeCalculation: sizeOf })
  const share = makeShare()

  const plain: Reading = { ofList: () => executor, ofCount: () => executor }

  function countingOf(resource: Resource, where: Condition, reading = plain): Counting {
    const statement = statements.count(resource, where)
    return { resource, where, resources: statement.resources, key: keyOf(statement), reading }
  }

  /**
   * The cached value, if nothing was written since. Otherwise a new read, cached under the generation from before it: a write that the read
   * missed changes the generation, whenever that write is seen.
   */
  function kept<T extends Page | number>(key: string, counting: Counting, read: () => Promise<T>): T | Promise<T> {
    const { resources, reading } = counting
    const known = memory.get(key)
    if (known?.generation === generations.of(resources)) return known.value as T
    const shared = share(key, async () => {
      const generation = generations.of(resources)
      const value = await read()
      memory.set(key, { value, generation })
      return value
    })
    // The read was another caller's, who has gone: it is read again for this one.
    return shared.catch((error) => {
      if (error !== clientHasLeft || !reading.asker || reading.asker.left()) throw error
      return kept(key, counting, read)
    })
  }

  const count = (counting: Counting): number | Promise<number> =>
    kept(counting.key, counting, async () => {
      const { resource, where, reading } = counting
      const cells = await (await reading.ofCount(resource, where)).first(statements.count(resource, where))
      return cells?.[0] as number
    })

  async function readPage(counting: Counting, request: PageRequest): Promise<Page> {
    const { limit, offset } = request
    if (offset > offsetReadThrough) {
      const total = await count(counting)
      if (offset >= total) return { rows: [], total }
    }
    const { resource, reading } = counting
    const cells = await (await reading.ofList(resource, request)).all(statements.list(resource, request))
    const rows = cells.map(readerOf(resource))
    // A page that is not full ends the list, so its total needs no counting.
    if (rows.length > 0 && rows.length < limit) return { rows, total: offset + rows.length }
    return { rows, total: await count(counting) }
  }

  return {
    async count(resource, where, reading) {
      await changes.catchUp()
      return count(countingOf(resource, where, reading))
    },
    async page(resource, request, reading) {
      const { where, sort, limit, offset } = request
      const counting = countingOf(resource, where, reading)
      const key = `${counting.key} ${JSON.stringify([sort, limit, offset])}`
      await changes.catchUp()
      return kept(key, counting, () => readPage(counting, request))
    },
  }
}
