/** Turns results into REST responses: envelopes, statuses and headers, by the style of the list. */
import { jobAddress } from '../endpoint/job-shape.ts'
import { prefersToJson } from '../http/accept-header.ts'
import { type HttpRequest, type HttpResponse, json, jsonType, ndjsonType } from '../http/messages/exchange.ts'
import { preferenceApplied } from '../http/messages/preferences.ts'
import type { SummaryOperation } from '../operation/operation.ts'
import { mayName } from '../operation/parameters.ts'
import { shownUnasked } from '../operation/visible-fields.ts'
import { namesOfDifference } from '../perform/read/compare-versions.ts'
import { etagOf } from '../perform/read/shown-version.ts'
import { representGroups } from '../perform/read/summarize.ts'
import {
  type DifferenceResult,
  type ListResult,
  metaOf,
  type OperationResult,
  type OutputResult,
  type RecordResult,
  type StreamResult,
  type SummaryResult,
} from '../perform/result.ts'
import type { Permitted, Policy } from '../policy/policy.ts'
import type { Resource } from '../resource/catalog.ts'
import { treeOperator } from '../resource/fields/field.ts'
import { isOneToOne } from '../resource/fields/field-facts.ts'
import type { Row } from '../storage/storage.ts'
import { type Represented, representRecord } from '../value/represent.ts'
import { pageHeaders } from './lists/page-headers.ts'
import { csvType, summaryAsCsv, varyByForm } from './lists/summary-csv.ts'
import type { Route } from './route.ts'

/** The context of a response besides the result. */
export type ResponseContext = {
  readonly route: Route
  readonly request: HttpRequest
  readonly permitted: Permitted
  readonly policy: Policy
}

function etagOfRecord(answering: ResponseContext, { resource, record, expanded }: RecordResult): string {
  const { permitted, policy, route } = answering
  const names = [...namesOf(answering, resource)]
  const visible = resource === permitted.operation.resource ? permitted.visible : names
  const differing = policy.differing(resource)
  return etagOf({ resource, record, names, visible, differing, expanded, isSelf: route.isSelf })
}

/**
 * Virtual fields and relations depend on other records, so an unchanged version does not mean
 * unchanged bytes.
 */
export function isCacheable(resource: Resource, { query }: HttpRequest): boolean {
  return resource.virtualNames.length === 0 && !mayRelate(query)
}

function nameOf(pair: string): string {
  const equals = pair.indexOf('=')
  const name = equals === -1 ? pair : pair.slice(0, equals)
  try {
    return decodeURIComponent(name)
  } catch {
    return name // refused when it is parsed
  }
}

const relating = /filter|expand|within|(?:fields|sort|group).*(?:\.|%2e)/i
const withPaths: ReadonlySet<string> = new Set(['fields', 'sort', 'group'])

/**
 * Whether a query asks about records of other resources: by `filter`, `expand`, `fields=a.b`,
 * `sort=a.b`, `group=a.b` or `categoryId[within]`.
 */
export function mayRelate(query: string): boolean {
  if (!mayName(query, relating)) return false
  return query.split('&').some((pair) => {
    const name = nameOf(pair)
    if (name.endsWith(`[${treeOperator}]`)) return true
    return name === 'filter' || name === 'expand' || (withPaths.has(name) && /\.|%2e/i.test(pair))
  })
}

/**
 * The fields to show: for records of the operation, the selected ones. No request selects fields of
 * other records, which an action returns.
 */
function namesOf(
  { permitted, policy }: Pick<ResponseContext, 'permitted' | 'policy'>,
  resource: Resource,
): Iterable<string> {
  const { operation, principal, visible } = permitted
  if (resource !== operation.resource) return shownUnasked(resource, policy.visibleFields(principal, resource).visible)
  return operation.select ?? shownUnasked(resource, visible)
}

function locationOf({ route, request }: ResponseContext, { resource, record }: RecordResult): string {
  const id = encodeURIComponent(String(record[resource.idField]))
  // The path of a one-to-one record below another has no id.
  if (isOneToOne(resource.fields[route.by ?? ''])) return request.path
  const own = resource.path && (resource !== route.target.resource || route.by === undefined || resource.access.get)
  if (own) return `${route.mount}${resource.path}/${id}`
  return `${request.path}/${id}`
}

function representOne(answering: ResponseContext, result: RecordResult): HttpResponse {
  const { resource, record, created } = result
  const etag = etagOfRecord(answering, result)
  const body = {
    ...representRecord(resource, namesOf(answering, resource), record),
    ...result.expanded,
    ...result.revealed,
  }
  if (!created) return json(200, body, { etag })
  return json(201, body, { etag, location: locationOf(answering, result) })
}

function bodyOfList(answering: ResponseContext, { resource, records, expanded, page }: ListResult): unknown {
  const names = [...namesOf(answering, resource)]
  const own = (record: Row) => representRecord(resource, names, record)
  const data: Represented[] = expanded
    ? records.map((record, i) => ({ ...own(record), ...expanded[i] }))
    : records.map(own)
  if (resource.list.style === 'all') return { data, count: data.length }
  if (resource.list.style === 'cursor') return { data, meta: metaOf(page) }
  return { success: true, data, meta: metaOf(page) }
}

function representList(answering: ResponseContext, result: ListResult): HttpResponse {
  const { page } = result
  const response = json(200, bodyOfList(answering, result), pageHeaders(answering.request, page))
  const isUncounted = page.kind === 'page' && page.total === null
  return isUncounted ? preferenceApplied(response, 'count=none') : response
}

async function* collectionText(answering: ResponseContext, { resource, chunks }: StreamResult): AsyncGenerator<string> {
  const names = [...namesOf(answering, resource)]
  let count = 0
  // The first rows are read before the first piece: until then the response can still be an error.
  let before = '{"data":['
  for await (const rows of chunks) {
    const texts = rows.map((row) => JSON.stringify(representRecord(resource, names, row)))
    yield before + texts.join(',')
    before = ','
    count += rows.length
  }
  yield `${count === 0 ? before : ''}],"count":${count}}`
}

async function* ndjsonText(answering: ResponseContext, { resource, chunks }: StreamResult): AsyncGenerator<string> {
  const names = [...namesOf(answering, resource)]
  for await (const rows of chunks) {
    yield rows.map((row) => `${JSON.stringify(representRecord(resource, names, row))}\n`).join('')
  }
}

function representDifference({ permitted }: ResponseContext, result: DifferenceResult): HttpResponse {
  const names = namesOfDifference(result, permitted.visible)
  const shown = (row: Row) => representRecord(result.resource, names, row)
  return json(200, { fields: result.fields, from: shown(result.from), to: shown(result.to) })
}

function representOutput({ values, accepted }: OutputResult): HttpResponse {
  if (!accepted) return json(200, values)
  return json(202, values, accepted.isReadable ? { location: jobAddress(accepted.id) } : {})
}

function representSummary({ permitted, request }: ResponseContext, { groups, total }: SummaryResult): HttpResponse {
  const operation = permitted.operation as SummaryOperation
  const data = representGroups(operation, groups)
  if (prefersToJson(request.headers.accept, csvType)) return summaryAsCsv(operation, data)
  return json(200, { data, meta: { groups: total } }, varyByForm)
}

export function representResult(answering: ResponseContext, result: OperationResult): HttpResponse {
  const { permitted } = answering
  switch (result.kind) {
    case 'none':
      return { status: 204, headers: {}, body: null }
    case 'record':
      return representOne(answering, result)
    case 'output':
      return representOutput(result)
    case 'list':
      return representList(answering, result)
    case 'summary':
      return representSummary(answering, result)
    case 'difference':
      return representDifference(answering, result)
    case 'stream':
      if (permitted.operation.kind === 'export') {
        return { status: 200, headers: { 'content-type': ndjsonType }, body: ndjsonText(answering, result) }
      }
      return { status: 200, headers: { 'content-type': jsonType }, body: collectionText(answering, result) }
    case 'many':
      return json(200, { success: true, [result.verb]: result.count })
    case 'import': {
      const { created, updated, rejected, problems, faults } = result
      const errors = problems.map(({ line, error }) => ({ line, error }))
      return { ...json(200, { created, updated, rejected, errors }), faults }
    }
  }
}
