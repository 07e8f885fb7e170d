/**
 * Parses a REST request into an operation. The caller has been admitted; fields that the caller may
 * not read do not exist here.
 */

import { ApiError } from '../errors.ts'
import type { HttpRequest } from '../http/messages/exchange.ts'
import { parsePrefer } from '../http/messages/preferences.ts'
import { readJson, readLines } from '../http/messages/read-body.ts'
import { type BodyExpectation, checkBody, checkInput, checkObject } from '../operation/body.ts'
import { addsToRecords, parseSelection, type ShownRelations } from '../operation/expansion.ts'
import type { FilterContext, ViewOf } from '../operation/filter-tree.ts'
import { type ParsedList, parseList } from '../operation/list-query.ts'
import type { ListQuery, Operation, RecordBody, Selection } from '../operation/operation.ts'
import { checkParameters, type Parameters, parseParameters, unknownParameter } from '../operation/parameters.ts'
import { checkNamesVersion, isIncrementOnly, takesIncrements } from '../operation/precondition.ts'
import { parseSummary, summaryLists } from '../operation/summary.ts'
import { parseDifference } from '../operation/versions/difference.ts'
import { shownForBody } from '../operation/visible-fields.ts'
import { keyNamed, onName } from '../perform/keyed-record.ts'
import type { Admission, Policy } from '../policy/policy.ts'
import { recordKeyOf } from '../policy/tenants/request-tenants.ts'
import { pagingParameters } from '../resource/list-style.ts'
import { factsOf, isBodyKind, isEngineOperation } from '../resource/operation-kind.ts'
import type { Principal } from '../resource/principal.ts'
import { parseMany } from './lists/bulk-filter.ts'
import { type Route, underOf } from './route.ts'
import { withoutTrash } from './trash-routes.ts'

/**
 * `"3"`, `W/"3"`, or a list of them → versions; `*` or no header → undefined: any version matches.
 * The rest of `"3.Xq…"` names the view in which the record was shown, which a write ignores.
 */
function parseIfMatch(header: string | undefined): number[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  return [...header.matchAll(/"([1-9]\d{0,14})(?:\.[\w-]{16})?"/g)].map((match) => Number(match[1]))
}

/** `"3-x…"`, the same with a digest of the shown record → `['3-x…']` */
function parseIfShown(header: string | undefined): string[] {
  return [...(header ?? '').matchAll(/"([1-9]\d{0,14}-[\w-]{1,64})(?:\.[\w-]{16})?"/g)].map(
    ([, version]) => version as string,
  )
}

/** Throws `precondition-required` where a version is required and the request names none. */
function checkPrecondition({ target }: Route, { headers }: HttpRequest): void {
  checkNamesVersion(target, headers['if-match'] !== undefined)
}

/** The body decides whether such an update needs a version. */
function isJudgedByBody({ target: { resource, operation } }: Route): boolean {
  return operation === 'update' && resource.needsVersion && takesIncrements(resource)
}

/** The versions that the write applies to. Throws `precondition-required`. */
function preconditionsOf(route: Route, request: HttpRequest) {
  const { headers } = request
  if (!isJudgedByBody(route)) checkPrecondition(route, request)
  const none = headers['if-none-match']
  const unlessVersion = none?.trim() === '*' ? ('any' as const) : none === undefined ? undefined : parseIfMatch(none)
  const match = headers['if-match']
  return { ifVersion: parseIfMatch(match), ifShown: parseIfShown(match), unlessVersion }
}

/**
 * The validated body of a create, replace or update. An empty body is refused like malformed JSON;
 * the message names missing required fields.
 */
async function readBody(expected: BodyExpectation, request: HttpRequest): Promise<RecordBody> {
  const value = await readJson(request)
  const body = checkBody(expected, value === undefined ? {} : value)
  if (value === undefined) throw new ApiError('bad-request', 'The body is empty; send a JSON object')
  return body
}

/** Leaves the total out, where the client does not need it. */
function asPreferred(query: ListQuery, { headers: { prefer } }: HttpRequest): ListQuery {
  return query.total && prefer !== undefined && parsePrefer(prefer).uncounted ? { ...query, total: false } : query
}

/**
 * All of a list, without relations. Throws `bad-request` for parameters that select a part of it.
 */
function asExport({ query, select, ...added }: ParsedList, parameters: Parameters) {
  if (addsToRecords({ select, ...added }))
    throw new ApiError('bad-request', 'An export shows no relations; leave expand out')
  for (const name of pagingParameters) if (parameters.has(name)) throw unknownParameter(name)
  return { query: { ...query, paging: { kind: 'all' } }, select } as const
}

/** The admission of the caller, and the policy of related records that the caller sees. */
export type ParseContext = {
  readonly admission: Admission
  readonly policy: Policy
  /** The time of the request. */
  readonly now: () => string
  /** The caller with its present rights, for an operation that may last for minutes. */
  readonly findCaller?: (() => Promise<Principal>) | undefined
}

/** The proof of identity that a removal carries, where the resource requires it. */
async function proving({ target }: Route, request: HttpRequest) {
  const { removal } = target.resource.traits
  if (!removal) return {}
  const sent = await readJson(request)
  const body = checkObject(sent === undefined ? {} : sent)
  const { headers, protocol } = request
  return { proof: removal.read(body, { host: headers.host ?? '', protocol }) }
}

/**
 * The id of the calling user. Throws `unauthenticated` where a rule admits callers who are not
 * users.
 */
function selfOf({ principal }: Admission): string {
  if (principal.kind !== 'user') throw new ApiError('unauthenticated', 'Token required')
  return principal.userId
}

/** The id of the record, or the value of its other key. Throws `unauthenticated`, `bad-request`. */
function namedRecord(
  { isSelf, idParameter, key: name, target: { resource } }: Route,
  { parameters }: HttpRequest,
  { admission, policy }: Pick<ParseContext, 'admission' | 'policy'>,
) {
  if (isSelf) return { id: selfOf(admission), key: undefined }
  const key = name === undefined ? undefined : recordKeyOf(policy.tenants, admission.principal, { resource, name })
  return { id: idParameter && parameters[idParameter], key }
}

/** The parameters of a write of one record, or of an import. */
function takenBy({ target: { resource, operation } }: Route): readonly string[] {
  if (isBodyKind(operation) && resource.nestedNames.length > 0) return ['expand']
  return operation === 'import' && resource.upsert.size > 0 ? [onName] : []
}

/** The unique key by which lines find their records. Throws `bad-request`. */
function keyOf({ target }: Route, parameters: Parameters): readonly string[] | undefined {
  return parameters.has(onName) ? keyNamed(target.resource, parameters.get(onName)) : undefined
}

/** A write that may have children shows them on request. Throws `bad-request`. */
function shownByWrite(route: Route, shown: ShownRelations, parameters: Parameters): Partial<Selection> {
  checkParameters(parameters, takenBy(route))
  return parameters.has('expand') ? parseSelection(shown, parameters) : {}
}

/** The operation of a route beside a list; undefined for the list itself. */
function besideList({ compares, summarizes }: Route, seen: FilterContext, parameters: Parameters) {
  if (compares) return { kind: 'difference', ...parseDifference(parameters) } as const
  return summarizes ? ({ kind: 'summary', ...parseSummary(seen, parameters) } as const) : undefined
}

export async function parseOperation(
  route: Route,
  request: HttpRequest,
  { admission, policy, findCaller, now }: ParseContext,
): Promise<Operation> {
  const viewOf: ViewOf = (resource) => policy.view(admission.asking, resource)
  const { resource, operation } = route.target
  const { visible, visibleWhere } = admission
  const fields = { resource, visible, visibleWhere, now }
  const parameters = withoutTrash(route, parseParameters(request.query, route.summarizes ? summaryLists : undefined))
  const { id, key } = namedRecord(route, request, { admission, policy })
  const under = underOf(route, request.parameters)
  const common = { resource, under, select: null }
  const { reads } = factsOf(operation)
  const versions = reads ? { ifVersion: undefined } : preconditionsOf(route, request)

  const many = route.many ? parseMany(request, { ...fields, viewOf }, parameters) : undefined
  const selected = reads || many ? {} : shownByWrite(route, { ...fields, viewOf }, parameters)
  const bodyFields = { ...fields, given: route.by, ...(!many && { nests: true as const }) }
  if (!isEngineOperation(operation)) {
    const input = checkInput(resource.actions[operation]?.input, await readJson(request))
    return { ...common, kind: 'act', action: operation, id, input, ...versions }
  }
  switch (operation) {
    case 'list':
    case 'export': {
      const beside = besideList(route, { ...fields, viewOf }, parameters)
      if (beside) return { ...common, ...beside }
      const listed = parseList({ ...fields, viewOf, under: under && request.path }, parameters)
      if (operation === 'export') return { ...common, kind: 'export', findCaller, ...asExport(listed, parameters) }
      return { ...common, ...listed, kind: 'list', findCaller, query: asPreferred(listed.query, request) }
    }
    case 'get':
      checkParameters(parameters, ['fields', 'expand'])
      return { ...common, ...parseSelection({ ...fields, viewOf }, parameters), kind: 'get', id, key }
    case 'create': {
      const body = await readBody({ ...bodyFields, kind: 'create' }, request)
      return { ...common, ...selected, select: shownForBody(fields, body), kind: 'create', body }
    }
    case 'replace':
    case 'update': {
      const body = await readBody({ ...bodyFields, kind: operation }, request)
      if (isJudgedByBody(route) && !isIncrementOnly(body)) checkPrecondition(route, request)
      const select = shownForBody(fields, body)
      return { ...common, ...selected, select, kind: operation, id, body, ...versions, ...(many && { many }) }
    }
    case 'delete':
      return {
        ...common,
        kind: 'delete',
        id,
        ...versions,
        shows: false,
        ...(route.endsForGood && { forGood: true }),
        ...(many && { many }),
        ...(await proving(route, request)),
      }
    case 'import':
      return { ...common, kind: 'import', on: keyOf(route, parameters), findCaller, lines: readLines(request) }
  }
}
