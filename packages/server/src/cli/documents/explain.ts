/**
 * `bindery explain 'GET /path?query'`: shows how a read runs, with its SQL and a measured run. The
 * request takes the same steps as over HTTP, while its reads are recorded.
 */

import type { Command } from 'commander'
import { nowOf } from '../../base/clock.ts'
import { UsageError } from '../../command/usage-error.ts'
import type { HttpRequest } from '../../http/messages/exchange.ts'
import type { Engine } from '../../perform/engine.ts'
import type { Resource } from '../../resource/catalog.ts'
import { all, type Condition } from '../../resource/condition.ts'
import { crudKinds } from '../../resource/operation-kind.ts'
import { consolePrincipal } from '../../resource/principal.ts'
import type { MatchedRoute } from '../../rest/find-route.ts'
import type { ListRequest, ReadPlan, ReadStorage, RowPage } from '../../storage/storage.ts'
import { nonRecordMethods, wrapStorage } from '../../storage/wrap-storage.ts'
import { type CommandContext, withEngine } from '../console.ts'

type ExplainedRead = {
  readonly what: 'record' | 'list' | 'count'
  readonly resource: Resource
  readonly request: Pick<ListRequest, 'where'> & Partial<ListRequest>
  readonly ms: number
  readonly rows: number
}

/** `GET /api/v1/products?q=lamp` → its parts. Throws `UsageError`. */
function parseTarget(text: string): { path: string; query: string } {
  const match = /^(?:GET\s+)?(\/[^?\s]*)(?:\?(\S*))?$/.exec(text.trim())
  if (!match) throw new UsageError(`only reads are explained, such as 'GET /api/v1/products?q=lamp', not ${text}`)
  return { path: match[1] as string, query: match[2] ?? '' }
}

async function findRoute(engine: Engine, path: string): Promise<MatchedRoute> {
  const { makeRoutes } = await import('../../rest/route.ts')
  const { makeFindRoute } = await import('../../rest/find-route.ts')
  const found = makeFindRoute(makeRoutes(engine.catalog))('GET', path)
  if (!found) throw new UsageError(`no GET route has the path ${path}; bindery routes lists them`)
  return found
}

/** Methods whose reads are not explained. */
const unnoted = { ...nonRecordMethods, knownTotal: true, summarize: true, by: true, urgent: true } as const

/** The engine, with its reads recorded and timed. */
function noting(engine: Engine, reads: ExplainedRead[]): Engine {
  const { storage } = engine
  async function timed<T>(
    read: Omit<ExplainedRead, 'ms' | 'rows'>,
    run: () => Promise<T>,
    count: (result: T) => number,
  ) {
    const sinceMs = performance.now()
    const result = await run()
    reads.push({ ...read, ms: performance.now() - sinceMs, rows: count(result) })
    return result
  }
  const own = {
    find: (resource, where, test) =>
      timed(
        { what: 'record', resource, request: { where } },
        () => storage.find(resource, where, test),
        (found) => (found ? 1 : 0),
      ),
    list: (resource, request) =>
      timed(
        { what: 'list', resource, request },
        () => storage.list(resource, request),
        (rows) => rows.length,
      ),
    listEach: (resource, request) => {
      const { by, ids, where, sort, limit } = request
      const each = { where: all({ kind: 'in', field: by, values: ids }, where), sort, limit }
      return timed(
        { what: 'list', resource, request: each },
        () => storage.listEach(resource, request),
        (rows) => rows.length,
      )
    },
    testEach: (resource, request) => {
      const where: Condition = { kind: 'in', field: resource.idField, values: request.ids }
      return timed(
        { what: 'list', resource, request: { where, sort: [], limit: request.ids.length } },
        () => storage.testEach(resource, request),
        (rows) => rows.length,
      )
    },
    walk(resource, request) {
      const walk = storage.walk(resource, request)
      const next = () => timed({ what: 'list', resource, request }, walk.next, (rows) => rows.length)
      return { ...walk, next }
    },
    count: (resource, where) =>
      timed(
        { what: 'count', resource, request: { where } },
        async () => storage.count(resource, where),
        (total) => total,
      ),
    async page(resource, request): Promise<RowPage> {
      const total = await own.count(resource, request.where)
      return { total, rows: request.offset >= total ? [] : await own.list(resource, request) }
    },
  } satisfies Partial<ReadStorage>
  return { ...engine, storage: wrapStorage(storage, own, unnoted) }
}

async function perform(engine: Engine, target: string): Promise<void> {
  const { path, query } = parseTarget(target)
  const { route, parameters } = await findRoute(engine, path)
  if (!crudKinds.includes(route.target.operation as 'list'))
    throw new UsageError('only lists and records are explained')
  const { parseOperation } = await import('../../rest/parse-operation.ts')
  const { perform } = await import('../../perform/perform.ts')
  const request = { path, query, parameters, method: 'GET', headers: {}, body: undefined } as unknown as HttpRequest
  const admission = engine.policy.admit(consolePrincipal(engine.catalog), route.target)
  const operation = await parseOperation(route, request, { admission, policy: engine.policy, now: nowOf(engine) })
  const result = await perform(engine, engine.policy.permit(admission, operation))
  if (result.kind === 'stream') for await (const _ of result.chunks) break
}

function linesOf({ what, resource, ms, rows }: ExplainedRead, explained: ReadPlan | undefined): string {
  const head = `${what} of ${resource.slug}: ${rows.toLocaleString('en')}${what === 'count' ? '' : ' rows'} in ${ms.toFixed(2)} ms`
  if (!explained) return `${head}\n  by its id or a unique key\n`
  const { way, index, entriesMax, isOutside, sql, steps } = explained
  const lines = [
    `way      ${way}${isOutside ? '; it may take long, so it runs where it delays no other request' : ''}`,
    ...(index ? [`index    ${index}`] : []),
    ...(entriesMax === undefined ? [] : [`entries  at most ${entriesMax.toLocaleString('en')}`]),
    `sql      ${sql}`,
    ...steps.map((step) => `         ${step}`),
  ]
  return `${head}\n${lines.map((line) => `  ${line}\n`).join('')}`
}

async function run(cli: CommandContext, target: string): Promise<void> {
  await withEngine(cli, async (engine) => {
    // the second run uses what the first one built, such as a rank index
    await perform(engine, target)
    const reads: ExplainedRead[] = []
    await perform(noting(engine, reads), target)
    const explained: { read: ExplainedRead; explained: ReadPlan | undefined }[] = []
    for (const read of reads) {
      const { what, resource, request } = read
      explained.push({
        read,
        explained: what === 'record' ? undefined : await engine.storage.explain(resource, request),
      })
    }
    if (cli.output.json)
      return cli.output.value(
        explained.map(({ read, explained: how }) => ({
          ...how,
          what: read.what,
          resource: read.resource.slug,
          ms: read.ms,
          rows: read.rows,
        })),
      )
    for (const { read, explained: how } of explained) await cli.output.write(linesOf(read, how))
  })
}

export function addExplain(program: Command, cli: CommandContext): void {
  program
    .command('explain')
    .description('how a read runs: the index that it walks, what it looks at, its SQL, and how long it takes')
    .argument('<request>', "in quotes: 'GET /api/v1/products?category=Tools&sort=price'")
    .addHelpText(
      'after',
      "\nIt is performed as the operator would, twice, and the second run is measured.\n\nExamples:\n  $ bindery explain 'GET /api/v1/products?category=Tools&sort=price'\n  $ bindery explain 'GET /books?author=le' --json",
    )
    .action((target: string) => run(cli, target))
}
