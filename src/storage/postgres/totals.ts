/**
 * Exact totals that are not counted twice, with any number of instances. Each table has a sequence that a trigger moves before anything is
 * written, while the writer holds a shared lock until it has committed. So a count is good as long as the sequence stands where it stood when
 * the count was made, if no writer was at work then: whoever writes later moves it first.
 */
import { sql } from 'kysely'
import type { Condition } from '../../operation/condition.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { Executor, Tools } from '../reader.ts'
import type { Page, PageRequest } from '../storage.ts'
import { makeTotals } from '../totals.ts'
import { postgresDialect } from './dialect.ts'

/** Up to here it costs less to read past the rows than to ask first whether there are so many. */
const offsetReadThrough = 1000

export type ExactTotals = {
  count(resource: Resource, where: Condition): Promise<number>
  page(resource: Resource, request: PageRequest): Promise<Page>
  /** Another server may answer next, which has not seen everything: what was counted on this one says nothing. */
  forget(): void
}

export function makeExactTotals(executor: Executor, { statements, readerOf }: Tools): ExactTotals {
  const totals = makeTotals()
  const { builder } = postgresDialect

  /** Where the sequences stand, and whether nobody is writing to these tables. */
  function stateOf(resources: readonly Resource[]) {
    const free = resources.map(
      ({ table }) => sql`pg_try_advisory_xact_lock(${sql.lit(`"${table}"`)}::regclass::oid::bigint)`,
    )
    const stamp = postgresDialect.stamp?.(resources)
    return sql`select ${stamp}, ${sql.join(free, sql` and `)}`.compile(builder)
  }

  async function countAnew(key: string, resource: Resource, where: Condition, resources: readonly Resource[]) {
    const state = (await executor.first({ sql: stateOf(resources).sql, parameters: [] })) as [number, boolean]
    const [count, stamp] = (await executor.first(statements.count(resource, where, { stamped: true }))) as [
      number,
      number,
    ]
    if (state[1] && state[0] === stamp) totals.set(key, stamp, count)
    return count
  }

  async function count(resource: Resource, where: Condition): Promise<number> {
    const { sql: text, parameters, resources } = statements.count(resource, where)
    const key = `${text} ${JSON.stringify(parameters)}`
    const stamp = sql`select ${postgresDialect.stamp?.(resources)}`.compile(builder).sql
    const now = (await executor.first({ sql: stamp, parameters: [] }))?.[0] as number
    return totals.get(key, now) ?? countAnew(key, resource, where, resources)
  }

  return {
    count,
    /** One statement, when the total is known or follows from the page itself. */
    async page(resource, request) {
      const { offset, limit, where } = request
      if (offset > offsetReadThrough) {
        const total = await count(resource, where)
        if (offset >= total) return { rows: [], total }
      }
      const counting = statements.count(resource, where)
      const cells = await executor.all(statements.list(resource, request, { stampOf: counting.resources }))
      const rows = cells.map(readerOf(resource))
      if (rows.length < limit && (rows.length > 0 || offset === 0)) return { rows, total: offset + rows.length }
      const key = `${counting.sql} ${JSON.stringify(counting.parameters)}`
      const stamp = cells[0]?.at(-1) as number | undefined
      const known = stamp === undefined ? undefined : totals.get(key, stamp)
      return { rows, total: known ?? (await countAnew(key, resource, where, counting.resources)) }
    },
    forget: () => totals.clear(),
  }
}
