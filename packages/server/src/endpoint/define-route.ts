/**
 * Defines a route outside the resources as one object: its handler `run`, its operation in the
 * OpenAPI document, its line of `bindery routes`, and its errors. The object also names the rate
 * limit. The types of `run` follow from the shapes of input and output. It knows no server: the
 * room that serves the route binds it.
 */
import type { HttpRequest } from '../http/messages/exchange.ts'
import type { Field, Fields, Json } from '../resource/fields/field.ts'
import type { Principal } from '../resource/principal.ts'
import type { Resource } from '../resource/resolved-resource.ts'
import type { RateClass } from '../settings/network-settings.ts'
import type { BodyShape, BodyShapeOrFields, ParsedBody } from './body-shape.ts'
import type {
  DocumentedError,
  DocumentedResponse,
  DocumentedResponses,
  MediaBody,
  RouteResult,
} from './documented-response.ts'
import type { CallerRule, RouteAccess } from './route-access.ts'

/** A heading of the document. */
export type RouteTag = {
  readonly name: string
  readonly description: string
  /** Its routes are about records of any resource, and stand before those of others. */
  readonly isOfRecords?: true
}

/** The line of `bindery routes`, where the operation does not say it as well. */
export type RouteListing = { readonly operation: string; readonly who: string; readonly answers: string }

/** An operation of the document. Its members stand there in this object's order. */
type OperationWords = {
  /** The name in programs. */
  readonly id: string
  readonly tag: RouteTag
  /** The summary: it says what the route does, without a full stop. */
  readonly summary: string
  /** Whole sentences. */
  readonly about?: string
  /**
   * Not offered to a model as a tool: it takes or shows a proof of identity, or is for machines
   * that watch.
   */
  readonly notForModels?: true
  readonly line?: RouteListing
}
/** A page for people has a line alone; the files of one are part of it, and are listed nowhere. */
type PageWords = { readonly line: RouteListing } | { readonly partOf: string }
export type RouteDescription = OperationWords | PageWords

export type RouteLimits = {
  /**
   * Counted as requests of this kind: by the caller where one is asked for, and else by address.
   */
  readonly rate: RateClass
}

/** `/auth/:provider/callback` → `provider` */
export type PathParameterNames<P extends string> = string extends P
  ? never
  : P extends `${string}:${infer Name}/${infer Rest}`
    ? Name | PathParameterNames<Rest>
    : P extends `${string}:${infer Name}`
      ? Name
      : never

/** One request, with what is known of it. */
export type RouteCall<I = BodyShapeOrFields, Q = Fields, P extends string = string> = {
  readonly input: ParsedBody<I>
  readonly query: ParsedBody<Q>
  readonly parameters: Readonly<Record<PathParameterNames<P>, string>>
  /** Anonymous where access is open or `run` identifies the caller by itself. */
  readonly caller: Principal
  readonly request: HttpRequest
}

/**
 * Everything that `run` does not say is the same for all its requests. Documents have the members
 * in this object's order.
 */
export type RouteDefinition<P extends string, I, Q, O, N> = {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: P
  /** The same route at other paths. */
  readonly alsoAt?: readonly string[]
  readonly describe: RouteDescription
  readonly rule: CallerRule | RouteAccess
  /** The resource whose records the rule judges; absent where it is about the caller alone. */
  readonly judged?: Resource
  readonly limits?: RouteLimits
  /** Keys that are limited to some operations pass by the scope of credentials alone. */
  readonly isOfCredentials?: true
  /** The field of each parameter of the path. */
  readonly parameters?: Readonly<Record<PathParameterNames<P>, Field>>
  readonly query?: Q
  /** The body. */
  readonly input?: I
  /** A body as documents show it; by default made of the fields. */
  readonly example?: Json
  /** No body is another way to ask for the same. */
  readonly isInputOptional?: true
  /** `run` reads the request by itself: `query` and `input` are for the documents. */
  readonly isRaw?: true
  /** The `Accept` of the client says nothing of the answer: a browser goes there by itself. */
  readonly ignoresAccept?: true
  /** The headers of an answer to `OPTIONS` at its path. */
  readonly optionHeaders?: Readonly<Record<string, string>>
  /** It takes an `Idempotency-Key`, of which `run` takes care. */
  readonly takesKey?: true
  /** It heeds `X-Tenant`, in an application with tenants. */
  readonly takesTenant?: true
  /** It can be tried, or has no effect to speak of: a `Prefer: dry-run` is passed over. */
  readonly ignoresDryRun?: true
  readonly output: O
  /** It refuses with these besides `internal`, and `too-many-requests` where it is counted. */
  readonly errors?: readonly DocumentedError[]
  /** Refusals that say more than those of other routes. */
  readonly refusals?: { readonly [C in DocumentedError | 'default']?: DocumentedResponse }
  /** Answered whatever the load, and not traced. */
  readonly isHealth?: true
  /** `needs`: what the room that serves it gives to all routes of a subject. */
  run(
    call: RouteCall<NoInfer<I>, NoInfer<Q>, NoInfer<P>>,
    needs: N,
  ): RouteResult<NoInfer<O>> | Promise<RouteResult<NoInfer<O>>>
}

/** A route as documents read it. */
export type DescribedRoute = Omit<
  RouteDefinition<string, BodyShapeOrFields | MediaBody, Fields, DocumentedResponses, never>,
  'run' | 'parameters'
> & {
  readonly parameters?: Fields
}
/** The same with its work, which takes what `N` has. */
export type DefinedRoute<N = void> = DescribedRoute & {
  run(call: RouteCall, needs: N): unknown
}

/** The words of an operation; undefined for a page, which the document does not have. */
export function operationWords({ describe }: Pick<DescribedRoute, 'describe'>): OperationWords | undefined {
  return 'id' in describe ? describe : undefined
}

/** A credential that callers may send, as documents show it. */
export type CredentialScheme = {
  readonly name: string
  /** As OpenAPI has it. */
  readonly scheme: Readonly<Record<string, Json>>
  /**
   * For people and programs alike, for programs alone, or for the routes that read it themselves.
   */
  readonly of: 'callers' | 'programs' | 'own routes'
  /** The callers who have one, in the table of routes, where they are not just any user. */
  readonly holder?: string
}

/**
 * Routes that need the same, and the named shapes and the credentials in the order in which
 * documents show them.
 */
export type RouteGroup<N = void> = {
  readonly routes: readonly DefinedRoute<N>[]
  readonly shapes?: readonly BodyShape[]
  readonly credentials?: readonly CredentialScheme[]
}

/** All subjects of a service, in the order in which `bindery routes` lists them. */
export type EngineRoutes = readonly RouteGroup<never>[]

export function defineRoute<
  const P extends string,
  const O extends DocumentedResponses,
  const I extends BodyShapeOrFields | MediaBody = Record<never, never>,
  const Q extends Fields = Record<never, never>,
  N = void,
>(definition: RouteDefinition<P, I, Q, O, N>): DefinedRoute<N> {
  return definition as unknown as DefinedRoute<N>
}

export function pathsOf({ path, alsoAt = [] }: Pick<DescribedRoute, 'path' | 'alsoAt'>): readonly string[] {
  return [path, ...alsoAt]
}
