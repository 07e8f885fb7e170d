/**
 * The reads of `records(things)` by a filter: `find`, `page`, `each`, `count`, `sum` and `groups`.
 * Each is a list or a summary, for one caller or for the system.
 */
import { ApiError } from '../errors.ts'
import type { FilterContext } from '../operation/filter-tree.ts'
import { codeReadLimits } from '../operation/list-limits.ts'
import type { Paging } from '../operation/operation.ts'
import type { ListResult, SummaryGroup, SummaryResult } from '../perform/result.ts'
import type { Resource } from '../resource/catalog.ts'
import type { JudgedRecords } from '../resource/code/code-records.ts'
import { all, type Condition } from '../resource/condition.ts'
import { hasFarKey } from '../resource/relations/far-field.ts'
import type { ListRequest, Row } from '../storage/storage.ts'
import type { AdmittedCode } from './judged-engine.ts'
import { performAdmitted } from './perform-admitted.ts'
import {
  checkQuery,
  oldestFirst,
  type ParsedRead,
  parseFound,
  parseGroups,
  parsePaging,
  parseRead,
  parseWhere,
  type ReadMethod,
  type ReadQuery,
} from './read-query.ts'

/** The records of one read. */
export type ReadSource = {
  readonly asked: AdmittedCode
  readonly view: FilterContext
  /** Other records are missing. */
  readonly where: Condition
  readonly shown: (row: Row) => Row
}

type Opened = ReadSource & {
  /** Parses a part of the query. */
  parse<T>(work: () => T): T
}

export type Reads = Pick<JudgedRecords, 'find' | 'page' | 'each' | 'count' | 'sum' | 'groups'>

type ReadsOf = {
  readonly resource: Resource
  readonly open: () => Promise<ReadSource>
  /** The error of a mistake in a query. */
  readonly toldMistake: (error: unknown, method: ReadMethod) => unknown
}

/** All records that `read` finds. Throws `conflict` for more than 10,000. */
async function allOf({ plural }: Resource, read: (limit: number) => Promise<readonly Row[]>): Promise<readonly Row[]> {
  const { foundMax } = codeReadLimits
  const rows = await read(foundMax + 1)
  if (rows.length > foundMax)
    throw new ApiError('conflict', `More than ${foundMax} records of ${plural}: too many for one action`)
  return rows
}

/** The same, oldest first. */
export function listMatching(
  resource: Resource,
  read: (request: Pick<ListRequest, 'sort' | 'limit'>) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  return allOf(resource, (limit) => read({ sort: oldestFirst(resource), limit }))
}

/** Rows that are sorted through references have the values of the order, too. */
function ownValues({ sort }: ParsedRead, row: Row): Row {
  if (!hasFarKey(sort)) return row
  return Object.fromEntries(Object.entries(row).filter(([name]) => !name.includes('.'))) as Row
}

async function listOf({ asked, where }: ReadSource, read: ParsedRead, paging: Paging): Promise<ListResult> {
  const query = { where: all(read.where, where), sort: read.sort, paging, total: false }
  return (await performAdmitted(asked, { kind: 'list', query })) as ListResult
}

async function found(source: Opened, query: ReadQuery): Promise<readonly Row[]> {
  const read = source.parse(() => parseRead(source.view, query))
  const limit = source.parse(() => parseFound(query))
  const rowsOf = async (most: number) => (await listOf(source, read, { kind: 'page', page: 1, limit: most })).records
  const rows = await (limit === undefined ? allOf(source.asked.resource, rowsOf) : rowsOf(limit))
  return rows.map((row) => source.shown(ownValues(read, row)))
}

async function pageOf(source: Opened, query: ReadQuery) {
  const read = source.parse(() => parseRead(source.view, query))
  const paging = source.parse(() => parsePaging(source.view, query, read))
  const { records, page } = await listOf(source, read, paging)
  const shown = records.map((row) => source.shown(ownValues(read, row)))
  return { records: shown, next: page.kind === 'cursor' ? page.nextCursor : null }
}

async function counted({ asked, where, ...source }: Opened, query: ReadQuery): Promise<number> {
  const asking = source.parse(() => parseWhere(source.view, query.filter))
  const paging = { kind: 'page', page: 1, limit: 1 } as const
  const list = { where: all(asking, where), sort: [], paging, total: true }
  const { page } = (await performAdmitted(asked, { kind: 'list', query: list })) as ListResult
  return page.kind === 'page' ? (page.total ?? 0) : 0
}

async function grouped({ asked, where, ...source }: Opened, query: ReadQuery): Promise<readonly SummaryGroup[]> {
  const summary = source.parse(() => parseGroups(source.view, query))
  const operation = { kind: 'summary', ...summary, where: all(summary.where, where) } as const
  return ((await performAdmitted(asked, operation)) as SummaryResult).groups
}

/** The fields of a resource are not known to the compiler here. */
export function readsFrom({ open, toldMistake }: ReadsOf): Reads {
  async function opened(method: ReadMethod): Promise<Opened> {
    const source = await open()
    return {
      ...source,
      parse(work) {
        try {
          return work()
        } catch (error) {
          throw toldMistake(error, method)
        }
      },
    }
  }
  const reading =
    <T>(method: ReadMethod, work: (source: Opened, query: ReadQuery) => Promise<T>) =>
    async (query?: unknown): Promise<T> => {
      const checked = checkQuery(method, query)
      return work(await opened(method), checked)
    }
  const page = reading('page', pageOf)

  async function* walk(query: ReadQuery): AsyncGenerator<Row> {
    const { walkedPage: limit } = codeReadLimits
    for (let after: string | null | undefined; after !== null; ) {
      const { records, next } = await page({ ...query, limit, after })
      yield* records
      after = next
    }
  }

  async function sum(field: string, query?: unknown): Promise<unknown> {
    const { filter } = checkQuery('sum', query)
    const [group] = await grouped(await opened('sum'), { filter, sum: String(field) })
    return (group?.sum as SummaryGroup)[field]
  }

  return {
    find: reading('find', found),
    page,
    each: (query?: unknown) => walk(checkQuery('each', query)),
    count: reading('count', counted),
    sum,
    groups: reading('groups', grouped),
  } as unknown as Reads
}
