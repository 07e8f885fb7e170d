/**
 * Identifies the caller of a request from `Authorization`, `X-API-Key` and the parameter `api_key`,
 * and counts the request towards its rate limit. REST and GraphQL share it.
 */
import { hash } from 'node:crypto'
import { countedAddress } from '../base/counted-address.ts'
import { ApiError } from '../errors.ts'
import { endStage, type RequestMeasurements } from '../observe/request-measurements.ts'
import { mayName, parseParameters } from '../operation/parameters.ts'
import { anonymous, type Principal, type UserPrincipal } from '../resource/principal.ts'
import type { RateClass } from '../settings/network-settings.ts'
import type { ReadClient } from '../storage/storage.ts'
import type { CallerIdentification, IdentifyOptions, RequestCredentials } from './edge-engine.ts'
import type { HttpRequest } from './messages/exchange.ts'
import { isHandledAgain } from './messages/late-body.ts'

/** Node joins repeated headers with commas, which no key contains. */
function keyOf(value: string | string[] | undefined): string | undefined {
  if (value === undefined) return undefined
  const keys = new Set(
    String(value)
      .split(',')
      .map((key) => key.trim()),
  )
  if (keys.size > 1) throw new ApiError('bad-request', 'Two different API keys were sent')
  return [...keys][0]
}

/** The request of a sender that proves itself in another way: its credentials belong to that. */
export function withoutCredentials(request: HttpRequest): HttpRequest {
  const { authorization: _token, 'x-api-key': _key, ...headers } = request.headers
  return { ...request, headers, query: '' }
}

const keyName = /api_key/

/**
 * Undefined where none are sent. Throws `bad-request` for a query string that cannot be parsed, and
 * for two different keys.
 */
function credentialsOf({ query, headers }: HttpRequest): RequestCredentials | undefined {
  const { authorization, 'x-api-key': key } = headers
  const keyParameter = query !== '' && mayName(query, keyName) ? parseParameters(query).get('api_key') : undefined
  if (authorization === undefined && key === undefined && keyParameter === undefined) return undefined
  return { authorization, keyHeader: keyOf(key), keyParameter }
}

/**
 * Counts a request towards its client's rate, and tells what is left. Throws `too-many-requests`.
 */
export type TakeRate = (client: string, rateClass: RateClass, tell?: HttpRequest['tell']) => Promise<void>

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY'])

/** By the method, which says whether a request may write (RFC 9110, section 9.2.1). */
function rateClassOf({ method }: HttpRequest): RateClass {
  return safeMethods.has(method) ? 'read' : 'write'
}

type IdentifyRequestOptions = {
  readonly machine: boolean
  readonly rateClass?: RateClass
  /** The answer lasts longer than an access token, which must be good at this time. */
  readonly tokenAsOfMs?: number
}

export type IdentifiedRequest = {
  readonly principal: Principal
  /**
   * For an answer that lasts: the same text for equal credentials from one address. Undefined
   * without credentials.
   */
  readonly sender?: string | undefined
  /** The client for whom requests and costly reads are counted. */
  readonly readClient: ReadClient
  /**
   * A user's responses stay out of shared caches; public ones may be cached if each use is
   * revalidated; a key in the URL forbids both.
   */
  readonly cacheControl: string
  /** The caller with its present rights. Throws where its credential has ended. */
  callerNow(): Principal | Promise<Principal>
}

function noteCaller(note: RequestMeasurements, principal: Principal): void {
  if (principal.kind !== 'user') return
  note.caller = principal.keyId === undefined ? 'user' : 'key'
  note.userId = principal.userId
  note.viewerId = principal.viewer?.userId
  note.keyId = principal.keyId
}

/** An operator that views a user spends its own rate. */
function countedAs({ keyId, viewer, userId }: UserPrincipal): string {
  return keyId ?? viewer?.userId ?? userId
}

type IdentifyDeps = { readonly identity: CallerIdentification; readonly takeRate: TakeRate | undefined }
type CountedRequest = {
  readonly principal: Principal
  readonly client: string
  readonly inAddress: boolean
  readonly sender?: string | undefined
  readonly callerNow: IdentifiedRequest['callerNow']
}

function callerOf(request: HttpRequest, counted: CountedRequest): IdentifiedRequest {
  const { principal, client, inAddress, callerNow, sender } = counted
  const { note, address, headers, left, onLeft } = request
  if (note) noteCaller(note, principal)
  endStage(note, 'identify')
  const { 'user-agent': userAgent, 'accept-language': languages } = headers
  const cacheControl = principal.kind === 'user' ? 'private, no-cache' : 'no-cache'
  return {
    principal,
    readClient: { client, address, userAgent, languages, requestId: request.id, left, onLeft, note },
    cacheControl: inAddress ? 'no-store' : cacheControl,
    callerNow,
    sender,
  }
}

type FoundCaller = Pick<IdentifiedRequest, 'principal' | 'callerNow' | 'sender'>

const anonymousNow = () => anonymous

/** The caller, who is identified again only where the rights of some caller have changed. */
async function identifyFirst(
  identity: CallerIdentification,
  credentials: RequestCredentials,
  options: IdentifyOptions,
): Promise<FoundCaller> {
  let version = identity.version()
  let known = await identity.identify(credentials, options)
  async function again(asOf: number | undefined): Promise<Principal> {
    known = await identity.identify(credentials, options)
    version = asOf
    return known
  }
  const callerNow = () => {
    const current = identity.version()
    return current !== undefined && current === version ? known : again(current)
  }
  return { principal: known, callerNow }
}

/** A use of a session or a key is noted once a minute, also while an answer lasts. */
const lastingMsMax = 60_000

/** The caller of an answer that lasts: its credential may also end by time. */
async function identifyLasting(
  identity: CallerIdentification,
  credentials: RequestCredentials,
  options: IdentifyOptions,
): Promise<FoundCaller> {
  const { authorization, keyHeader, keyParameter } = credentials
  // Of two credentials, the principal is that of one alone.
  const isOne = !authorization || !(keyHeader || keyParameter)
  const identify = async () => ({
    principal: await identity.identify(credentials, options),
    atMs: performance.now(),
  })
  let known = await identify()
  async function again(): Promise<Principal> {
    known = await identify()
    return known.principal
  }
  const isKnown = () => isOne && performance.now() - known.atMs < lastingMsMax && identity.holds(known.principal)
  return {
    principal: known.principal,
    sender: hash('sha256', JSON.stringify([options.address, authorization, keyHeader, keyParameter]), 'base64url'),
    callerNow: () => (isKnown() ? known.principal : again()),
  }
}

async function identifyBy(
  credentials: RequestCredentials | undefined,
  { identity, takeRate }: IdentifyDeps,
  { request, machine, rateClass, tokenAsOfMs }: IdentifyRequestOptions & { readonly request: HttpRequest },
): Promise<IdentifiedRequest> {
  const { address, tell } = request
  const take = isHandledAgain(request) ? undefined : takeRate
  const counted = rateClass ?? rateClassOf(request)
  let found: FoundCaller = { principal: anonymous, callerNow: anonymousNow }
  try {
    const identify = tokenAsOfMs === undefined ? identifyFirst : identifyLasting
    if (credentials) found = await identify(identity, credentials, { machine, address, tokenAsOfMs })
  } catch (refused) {
    await take?.(countedAddress(address), counted, tell)
    throw refused
  }
  const { principal } = found
  const client = principal.kind === 'user' ? countedAs(principal) : countedAddress(address)
  await take?.(client, counted, tell)
  return callerOf(request, { ...found, client, inAddress: Boolean(credentials?.keyParameter) })
}

/**
 * Returns at once where no credential is sent and no rate is counted, as in most reads. Throws for
 * any bad credential, and `too-many-requests`. A caller with a bad credential is counted by
 * address.
 */
export function identifyRequest(
  identifying: IdentifyDeps,
  request: HttpRequest,
  asking: IdentifyRequestOptions,
): IdentifiedRequest | Promise<IdentifiedRequest> {
  const credentials = credentialsOf(request)
  if (credentials || identifying.takeRate) return identifyBy(credentials, identifying, { ...asking, request })
  return callerOf(request, {
    principal: anonymous,
    client: countedAddress(request.address),
    inAddress: false,
    callerNow: anonymousNow,
  })
}
