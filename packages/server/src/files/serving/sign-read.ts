/**
 * Reads with `?_sign=photo`: the addresses of files in the answer are signed ones, for pages that
 * send no credential with their pictures. Nothing keeps such an answer.
 */
import { ApiError } from '../../errors.ts'
import type { EdgeEngine } from '../../http/edge-engine.ts'
import { bytesOf, type HttpRequest, type HttpResponse, isWholeBody } from '../../http/messages/exchange.ts'
import { mayName, parameterError, parseParameters } from '../../operation/parameters.ts'
import { shownUnasked } from '../../operation/visible-fields.ts'
import type { Admission } from '../../policy/policy.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { FileField } from '../../resource/fields/files/file-options.ts'
import { isTable } from '../../resource/members.ts'
import type { Principal } from '../../resource/principal.ts'
import { linkSeconds, signParameter } from '../../rest/file-routes.ts'
import { handleRequest, type RequestPipeline } from '../../rest/handle-request.ts'
import { admitCaller } from '../../rest/record-journey.ts'
import type { Route } from '../../rest/route.ts'
import { refuseViewer } from './make-link.ts'
import { checkVariant } from './serve-bytes.ts'
import { signAddress } from './signed-address.ts'

const written = /_sign/
/** A whole list is held in memory while its addresses are signed. */
const bytesMax = 10_000_000

/** Field → the variant, or undefined for the original. */
type AskedFields = ReadonlyMap<string, string | undefined>

export function asksSigned({ query }: Pick<HttpRequest, 'query'>): boolean {
  return query !== '' && mayName(query, written) && parseParameters(query).has(signParameter)
}

/** The query without the parameter, which later steps do not know. */
function withoutSign(query: string): { readonly query: string; readonly pair: string } {
  const isOwn = (pair: string) => parseParameters(pair).has(signParameter)
  const pairs = query.split('&')
  return { query: pairs.filter((one) => !isOwn(one)).join('&'), pair: pairs.find(isOwn) ?? '' }
}

/**
 * `photo,manual`, `photo.thumb`. Throws `bad-request` for names that are no files of this resource
 * which the caller may see.
 */
function parseSigned(text: string, resource: Resource, { visible, visibleWhere }: Admission): AskedFields {
  const asked = new Map<string, string | undefined>()
  for (const one of text.split(',')) {
    const [name = '', ...variant] = one.trim().split('.')
    const isSeen = resource.fileNames.includes(name) && (visible.has(name) || visibleWhere.has(name))
    if (!isSeen)
      throw parameterError(signParameter, `${signParameter} names no file of ${resource.plural}: ${name.slice(0, 100)}`)
    if (asked.has(name)) throw parameterError(signParameter, `${signParameter} names ${name} twice`)
    if (variant.length > 0) checkVariant(variant.join('.'), resource.fields[name] as unknown as FileField)
    asked.set(name, variant.length > 0 ? variant.join('.') : undefined)
  }
  return asked
}

/** A read that names no fields has those that it signs, besides the usual ones. */
function withAsked(query: string, { resource, asked, visible }: AskedOf): string {
  const named = resource.requestedNames.filter((name) => asked.has(name))
  if (named.length === 0 || parseParameters(query).has('fields')) return query
  const fields = [...shownUnasked(resource, visible), ...named].join(',')
  return `${query}${query === '' ? '' : '&'}fields=${fields}`
}

type AskedOf = { readonly resource: Resource; readonly asked: AskedFields; readonly visible: ReadonlySet<string> }
type Signing = { readonly engine: EdgeEngine; readonly caller: Principal; readonly asked: AskedFields }

function signedValue({ engine, caller }: Signing, value: unknown, variant: string | undefined): unknown {
  if (Array.isArray(value)) return value.map((one) => signedValue({ engine, caller, asked: new Map() }, one, variant))
  if (!isTable(value) || typeof value.url !== 'string') return value
  const place = { path: value.url, variant }
  return {
    ...value,
    url: signAddress(engine, place, { file: String(value.id), caller, seconds: linkSeconds.default }).url,
  }
}

function signedRecord(signing: Signing, record: unknown): unknown {
  if (!isTable(record)) return record
  const signed = { ...record }
  for (const [name, variant] of signing.asked)
    if (Object.hasOwn(record, name)) signed[name] = signedValue(signing, record[name], variant)
  return signed
}

const tooLong = () =>
  new ApiError('bad-request', `The list is too long for ${signParameter}: filter it, or select fewer fields`)

/** Throws `bad-request` for a list that is too long. */
async function textOf(body: HttpResponse['body']): Promise<string> {
  if (isWholeBody(body)) return bytesOf(body).toString()
  const pieces: string[] = []
  let length = 0
  for await (const piece of body ?? []) {
    length += piece.length
    if (length > bytesMax) throw tooLong()
    pieces.push(String(piece))
  }
  return pieces.join('')
}

/** Links to other pages ask for the same. */
function withLinks({ link }: HttpResponse['headers'], pair: string): HttpResponse['headers'] {
  if (typeof link !== 'string') return {}
  return { link: link.replace(/<([^>?]+)\?/g, `<$1?${pair}&`) }
}

/** Throws as the read itself does, and `bad-request` for other fields than those with files. */
export async function readSigned(pipeline: RequestPipeline, route: Route, request: HttpRequest): Promise<HttpResponse> {
  const { resource, operation } = route.target
  const { caller, admission } = await admitCaller(pipeline, { route }, request)
  const { principal } = caller
  refuseViewer(principal)
  const names = parseParameters(request.query).get(signParameter) ?? ''
  const signing = { engine: pipeline.engine, caller: principal, asked: parseSigned(names, resource, admission) }
  const { query: plain, pair } = withoutSign(request.query)
  const query = withAsked(plain, { resource, asked: signing.asked, visible: admission.visible })
  const { 'if-none-match': _, 'if-modified-since': __, ...headers } = request.headers
  // The rate has been counted, and no cache may keep or give the answer.
  const uncounted = { ...pipeline, takeRate: undefined, cache: undefined }
  const read = await handleRequest(uncounted, route, { ...request, query, headers })
  if (read.status !== 200) return read
  const body = JSON.parse(await textOf(read.body))
  const signed =
    operation === 'list'
      ? { ...body, data: body.data.map((one: unknown) => signedRecord(signing, one)) }
      : signedRecord(signing, body)
  const { etag: ___, ...shown } = read.headers
  return {
    status: 200,
    headers: { ...shown, ...withLinks(read.headers, pair), 'cache-control': 'no-store' },
    body: JSON.stringify(signed),
  }
}
