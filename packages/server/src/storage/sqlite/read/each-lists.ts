/**
 * Reads, in one SQLite statement, the first rows for each of many values of a field, such as the
 * lines of each order. Runs it in the main thread where the table is small or an index bounds the
 * cost. Otherwise it returns the statement for a read thread.
 */
import type { Resource } from '../../../resource/catalog.ts'
import { all, equal, type Scalar } from '../../../resource/condition.ts'
import { inOrderOfEach } from '../../sql/list-each.ts'
import type { EachRequest, Row } from '../../storage.ts'
import type { CostlyRead } from './counts.ts'
import type { ListsDeps } from './list-reads.ts'

export type ListEach = (resource: Resource, request: EachRequest) => Row[] | CostlyRead

type EachListsDeps = Pick<ListsDeps, 'reader' | 'tools' | 'costs' | 'tables' | 'present'>

/** Bounded where an index has the order of each list: the read then stops at each limit. */
export function makeEachLists({ reader, tools, costs, tables, present }: EachListsDeps): ListEach {
  const { statements, readerOf } = tools
  return (resource, request) =>
    present(() => {
      const { by, ids, sort } = request
      const where = all(equal(by, ids[0] as Scalar), request.where)
      const cost = tables.isSmall(resource, where) ? undefined : costs.ofList(resource, { where, sort })
      const statement = statements.listEach(resource, request)
      if (cost) return { statement, advice: cost.advice }
      return inOrderOfEach(request, reader.all(statement).map(readerOf(resource)))
    })
}
