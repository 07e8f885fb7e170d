/**
 * Performs a batch in one transaction: all of its operations are stored, or none. Each takes the
 * steps of a request with the same principal: it is routed, admitted, parsed, permitted and
 * performed. It sees the writes before it. All share one budget of reads.
 */

import { nowOf } from '../../base/clock.ts'
import { batchPath } from '../../endpoint/api-paths.ts'
import { ApiError, type FieldProblem } from '../../errors.ts'
import { checkAccept } from '../../http/accept-header.ts'
import type { EdgeEngine } from '../../http/edge-engine.ts'
import { identifyRequest, type TakeRate } from '../../http/identify-request.ts'
import { unlessKnown } from '../../http/messages/conditional.ts'
import { type HttpRequest, type HttpResponse, json } from '../../http/messages/exchange.ts'
import { splitUrl } from '../../http/messages/message.ts'
import { parsePrefer, preferenceApplied } from '../../http/messages/preferences.ts'
import { readJson } from '../../http/messages/read-body.ts'
import { callerOfTargets } from '../../http/named-tenant.ts'
import { placeError } from '../../operation/nested/placed-error.ts'
import { checkParameters, parseParameters } from '../../operation/parameters.ts'
import { type Engine, engineFor, engineWithin } from '../../perform/engine.ts'
import { joinTransaction } from '../../perform/join-transaction.ts'
import { perform } from '../../perform/perform.ts'
import { makeReadBudget, type ReadBudget } from '../../perform/read/read-budget.ts'
import { eachPart, preparingAt, withPreparations } from '../../perform/together/preparations.ts'
import { authorOf } from '../../record/author.ts'
import { dryRunAuthor } from '../../record/record-store.ts'
import { listParameters } from '../../resource/list-style.ts'
import { factsOf } from '../../resource/operation-kind.ts'
import type { Principal } from '../../resource/principal.ts'
import { traitsOfAction } from '../../resource/traits.ts'
import { apiPrefix } from '../../resource/words/api-prefix.ts'
import { deprecationOf } from '../../resource/words/deprecation.ts'
import { deprecationHeaders } from '../deprecation-headers.ts'
import type { FindRoute } from '../find-route.ts'
import { checkNamesNoVersion } from '../lists/bulk-filter.ts'
import { isValidated } from '../lists/cache-response.ts'
import { parseOperation } from '../parse-operation.ts'
import { representResult } from '../represent-result.ts'
import { callerWithin } from '../request-tenant.ts'
import type { Route } from '../route.ts'
import { firstFound, routesFor } from '../trash-routes.ts'
import { type BatchOperation, type EarlierIds, parseBatch, resolveBody, resolvePath } from './batch-body.ts'
import { answerKeyed, type ReplyStore } from './keyed-write.ts'
import type { KeysInProgress } from './once.ts'
import { type AdmittedRequest, RollbackError, responseOf } from './single-write.ts'
import { upsertRecord } from './upsert.ts'

export type BatchDeps = {
  readonly engine: EdgeEngine
  readonly takeRate: TakeRate | undefined
  readonly inWork: KeysInProgress
  readonly findRoute: FindRoute
}

const excluded: ReadonlySet<string> = new Set(['list', 'import', 'export'])

/**
 * Operations that need work outside of a transaction, may affect a thousand records, or show a
 * secret cannot be in a batch.
 */
function checkMayJoin({ target: { resource, operation }, many }: Route): void {
  if (many || excluded.has(operation))
    throw new ApiError(
      'bad-request',
      `${operation}${many ? ' by a filter' : ''} is not possible in a batch; send it alone`,
    )
  const hasSecret = resource.storedNames.some((name) => resource.fields[name]?.type.secret !== undefined)
  const writesSecret = operation === 'create' || operation === 'replace' || operation === 'update'
  const isProven = resource.traits.removal !== undefined && operation === 'delete'
  // A response with a secret would be stored for retries. Attempts are counted, even those that are
  // rolled back.
  const { reveals, isCounted } = traitsOfAction(resource, operation)
  if ((hasSecret && writesSecret) || isProven || reveals || isCounted)
    throw new ApiError('bad-request', `${operation} of ${resource.plural} is not possible in a batch; send it alone`)
}

/** In an operation parameters are a part of its path. */
function mistakeIn(index: number, { field, detail, isParameter, path, within = [] }: FieldProblem): FieldProblem {
  const operation = ['operations', String(index)]
  if (isParameter) return { field: 'path', within: operation, detail }
  return { field, within: [...operation, 'body', ...within], detail, ...(path && { path }) }
}

/** The error of one operation as that of the whole batch, which names the operation. */
function namedError(error: unknown, { id }: BatchOperation, index: number): unknown {
  if (!(error instanceof ApiError)) return error
  const name = `operations[${index}]${id === undefined ? '' : ` (${id})`}`
  const message = `${name}: ${error.message}; nothing was stored`
  return placeError(error, { message, place: (mistake) => mistakeIn(index, mistake) })
}

type BatchStep = {
  readonly operation: BatchOperation
  readonly request: HttpRequest
  readonly principal: Principal
  readonly earlier: EarlierIds
}
type BatchStepResult = {
  readonly response: HttpResponse
  readonly recordId: string | number | undefined
  /** The deprecation headers of the operation. */
  readonly told: ReturnType<typeof deprecationHeaders>
}

async function takeStep(engine: Engine, findRoute: FindRoute, step: BatchStep): Promise<BatchStepResult> {
  const { operation, earlier } = step
  const { method } = operation
  const { path: given, query } = splitUrl(operation.path)
  const path = resolvePath(given.startsWith(`${apiPrefix}/`) ? given : `${apiPrefix}${given}`, earlier)
  const found = findRoute(method, path)
  if (!found) throw new ApiError('bad-request', `there is no ${method.slice(0, 20)} ${given.slice(0, 200)}`)
  const { route, parameters } = found
  checkMayJoin(route)
  if (parseParameters(query).has(listParameters.credential.name))
    throw new ApiError('bad-request', 'an operation takes no credential of its own')
  const value = resolveBody(operation.body, earlier)
  const { headers } = operation
  const request = { ...step.request, method, path, query, parameters, headers, body: undefined, value }
  const { policy } = engine
  const principal = callerWithin(policy, step.principal, { route, request })
  let recordId: BatchStepResult['recordId']
  const take = async ({ route, request, admission }: AdmittedRequest): Promise<HttpResponse> => {
    const operation = await parseOperation(route, request, { admission, policy, now: nowOf(engine) })
    const permitted = policy.permit(admission, operation)
    const result = await perform(engine, permitted)
    if (result.kind === 'record') recordId = result.record[result.resource.idField] as string | number
    const response = representResult({ route, request, permitted, policy }, result)
    const isRead = factsOf(route.target.operation).reads
    return isRead && isValidated(route, request) ? unlessKnown(request, response) : response
  }
  const takeBy = (one: Route) => take({ route: one, request, admission: policy.admit(principal, one.target) })
  const response = route.upserts
    ? await upsertRecord({ engine, principal, route }, request, take)
    : await firstFound(routesFor(route, query) ?? [route], takeBy)
  const deprecation = deprecationOf(route.target.resource, route.target.operation)
  return { response, recordId, told: deprecation ? deprecationHeaders(deprecation) : [] }
}

/** The entry of one operation in the response. */
function shown({ id }: BatchOperation, { response: { status, headers, body }, told }: BatchStepResult): unknown {
  const { etag, location } = headers
  return {
    ...(id !== undefined && { id }),
    status,
    headers: { ...(etag && { ETag: etag }), ...(location && { Location: location }), ...Object.fromEntries(told) },
    ...(typeof body === 'string' && { body: JSON.parse(body) }),
  }
}

type BatchRun = { readonly engine: Engine; readonly findRoute: FindRoute; readonly principal: Principal }
type BatchRequest = {
  readonly request: HttpRequest
  readonly operations: readonly BatchOperation[]
  readonly dryRun: boolean
}
type BatchResponse = BatchRequest & { readonly budget: ReadBudget; readonly broken: () => ApiError | undefined }

const budgetWords = { asked: 'the batch', advice: 'send fewer operations, or ask for less in each' }

/** Performs the operations one by one. The body of the response counts towards the read budget. */
async function answerAll({ engine, findRoute, principal }: BatchRun, answering: BatchResponse): Promise<HttpResponse> {
  const { request, operations, budget, broken } = answering
  const earlier = new Map<string, string | number>()
  const data: unknown[] = []
  await eachPart(operations.entries(), async ([index, operation]) => {
    try {
      await budget.step()
      const preparing = preparingAt(engine, String(index))
      const stepped = await takeStep(preparing, findRoute, { operation, request, principal, earlier })
      const conflict = broken()
      if (conflict) throw conflict
      if (operation.id !== undefined && stepped.recordId !== undefined) earlier.set(operation.id, stepped.recordId)
      const { body } = stepped.response
      if (typeof body === 'string') budget.show({ records: 0, characters: body.length })
      data.push(shown(operation, stepped))
    } catch (error) {
      throw namedError(broken() ?? error, operation, index)
    }
  })
  return json(200, { success: true, data })
}

/** Without a transaction, which on SQLite would block other writes meanwhile. */
function readAll(running: BatchRun, asked: BatchRequest): Promise<HttpResponse> {
  const budget = makeReadBudget(budgetWords)
  const engine = engineWithin(running.engine, budget)
  return answerAll({ ...running, engine }, { ...asked, budget, broken: () => undefined })
}

function writeAll(running: BatchRun, asked: BatchRequest, keeping?: ReplyStore): Promise<HttpResponse> {
  const { engine, principal } = running
  const records = asked.dryRun ? dryRunAuthor(engine.records, 'undone') : engine.records
  const write = (preparing: Engine, made: (response: HttpResponse) => void) =>
    records.transaction(authorOf(principal), async (tx) => {
      const budget = makeReadBudget(budgetWords)
      const { engine: inside, broken } = joinTransaction(preparing, tx)
      const response = await answerAll(
        { ...running, engine: engineWithin(inside, budget) },
        { ...asked, budget, broken },
      )
      made(response)
      if (asked.dryRun) throw new RollbackError()
      await keeping?.keep(tx, response, false)
    })
  const trying = asked.dryRun ? { ...engine, isDryRun: true } : engine
  return responseOf((made) => withPreparations(trying, (preparing) => write(preparing, made)))
}

export async function answerBatch(batching: BatchDeps, request: HttpRequest): Promise<HttpResponse> {
  const { engine, takeRate, inWork, findRoute } = batching
  const identified = await identifyRequest({ identity: engine.identity, takeRate }, request, { machine: false })
  const caller = callerOfTargets(engine.policy, identified, request)
  const { principal, readClient, cacheControl } = caller
  checkAccept(request.headers.accept, ['application/json'])
  checkNamesNoVersion(request, 'send them with the operations')
  checkParameters(parseParameters(request.query), [])
  const { dryRun } = parsePrefer(request.headers.prefer)
  const callers = engineFor(engine, caller)
  const response = await answerKeyed(
    { engine: callers, inWork },
    { request, principal, facts: () => engine.policy.facts.ofAll, place: batchPath, isSecret: false, isDry: dryRun },
    async (own, read, keeping) => {
      const operations = parseBatch(await readJson(read))
      // A retry that is answered with the stored response counts as one request.
      for (let i = 1; takeRate && i < operations.length; i += 1)
        await takeRate(readClient.client, 'write', request.tell)
      const asked = { request: read, operations, dryRun }
      if (operations.every(({ method }) => method === 'GET'))
        return readAll({ engine: callers, findRoute, principal }, asked)
      return writeAll({ engine: own, findRoute, principal }, asked, keeping)
    },
  )
  response.headers['cache-control'] = cacheControl
  return dryRun ? preferenceApplied(response, 'dry-run') : response
}
