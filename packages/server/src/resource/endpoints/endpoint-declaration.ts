/**
 * The types of an endpoint: a request of an application's own, on a resource, on a record of it, or
 * on nothing. Its code runs outside of a transaction, with the rights of its caller.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { KnownCaller } from '../code/acting-caller.ts'
import type { CallerRecords, OutsideCode } from '../code/code-context.ts'
import type { RecordForCaller, ResourceHandle } from '../code/code-records.ts'
import type { Fields, Json } from '../fields/field.ts'
import type { DeclaredPart } from '../parts/application-part.ts'
import type { CodeSettings } from '../parts/part-handles.ts'
import type { FieldName, RecordOf } from '../record-of.ts'
import type { Rule } from '../rule.ts'
import type { EndpointOutput } from './endpoint-output.ts'

/** The errors that an endpoint may declare. Those of every request need no declaration. */
export const endpointErrors = [
  'bad-request',
  'forbidden',
  'not-found',
  'conflict',
  'too-many-requests',
  'bad-gateway',
  'unavailable',
] as const
export type EndpointError = (typeof endpointErrors)[number]

/** `600/1m`: so many requests of one client in a time of `s`, `m` or `h`. */
export type RateText = `${number}/${number | ''}${'s' | 'm' | 'h'}`

/** The most that an endpoint may take. */
export const bodyBytesLimit = 33_554_432
export const secondsLimit = 600

export type EndpointLimits = {
  /** Requests of one caller, or of one address: `'10/1m'`. It counts beside `RATE_LIMIT`. */
  readonly rate?: RateText
  /** Of the body; 1,048,576 by default, 33,554,432 at most. */
  readonly bodyBytes?: number
  /**
   * How long the code may run before its answer, or the first piece of it; 30 by default, 600 at
   * most. Then its `signal` ends it, and the caller gets 503.
   */
  readonly seconds?: number
}

/** The request, besides what is declared of it. */
export type EndpointRequest = {
  /** Names the request in the log. */
  readonly id: string
  /** `GET`, `HEAD` or `POST`. */
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** By their names in small letters. */
  readonly headers: IncomingHttpHeaders
  /** The address of the client, as far as the server knows it. */
  readonly address: string
}

/** A body as it was sent, for `verify` and `once`. */
export type RawBody = {
  /** The exact bytes. */
  readonly body: Buffer
  /** The request, with its headers. */
  readonly request: EndpointRequest
  /** `settings.of(shopSettings)` has the secret of the sender, as in all code. */
  readonly settings: CodeSettings
  /** The time, RFC 3339 in UTC with milliseconds. */
  readonly now: string
}

/** The resource that an endpoint is on, or a record of it. */
export type EndpointTarget<F extends Fields> =
  | { readonly record: ResourceHandle<F>; readonly collection?: never }
  | { readonly collection: ResourceHandle<Fields>; readonly record?: never }

type RecordPart<F extends Fields> = [F] extends [never] ? unknown : { readonly record: RecordForCaller<F> }
type BodyPart<B, V> = B extends 'raw' ? { readonly body: Buffer; readonly verified: V } : unknown

/** The parts of the request that `run` gets. */
type EndpointArguments<I, Q, E extends EndpointError> = {
  /** The values of the body, checked by the fields of `input`. */
  readonly input: RecordOf<I>
  /** The values of the query parameters. */
  readonly query: RecordOf<Q>
  /** The caller. `userId` is null for anonymous callers. */
  readonly caller: KnownCaller
  /** The request besides its values. */
  readonly request: EndpointRequest
  /**
   * Throws one of the declared errors, with its sentence or another one. With `bad-request`, the
   * field may be named.
   */
  readonly refuse: (code: E, sentence?: string, field?: string) => never
}

/**
 * The arguments of `run`. On a record it has `record`, as its caller may see it. With a raw body it
 * has `body`, the bytes, and `verified`, the result of `verify`.
 */
export type EndpointCode<
  F extends Fields,
  I,
  Q,
  E extends EndpointError,
  B = undefined,
  V = undefined,
> = OutsideCode<CallerRecords> & RecordPart<F> & BodyPart<B, V> & EndpointArguments<I, Q, E>

/** `F`: the fields of the record that it is on. `R`: what its code returns. */
export type EndpointDeclaration<
  N extends string,
  F extends Fields,
  I extends Fields,
  Q extends Fields,
  O extends EndpointOutput | undefined,
  E extends EndpointError,
  B extends 'raw' | undefined,
  V,
  R,
> = {
  /** camelCase. Its path has it as words with hyphens: `priceList` is at `/price-list`. */
  readonly name: N
  /** `GET` only reads: browsers, caches and agents send it again as they like. */
  readonly method: 'GET' | 'POST'
  /**
   * The resource, or a record of it: `{ record: order }` is at `/orders/{id}/quote`, `{ collection:
   * order }` at `/orders/quote`. Without it the endpoint is at `/api/v1/quote`. The record is found
   * by the rule of `get`: it is 404 for a caller who may not see it.
   */
  readonly on?: EndpointTarget<F>
  /** The callers who may send it: on a record, a rule about the record. */
  readonly rule: [NoInfer<F>] extends [never] ? Rule<never, never> : Rule<FieldName<NoInfer<F>>, string>
  /** One sentence for the documents, without a full stop. */
  readonly summary?: string
  /** Further sentences for the documents. */
  readonly description?: string
  /** The query parameters. */
  readonly query?: Q
  /** The fields of the body, which is JSON. Only a POST has one. */
  readonly input?: I
  /** A body for the documents, in place of the examples of the fields. */
  readonly example?: Readonly<{ [K in NoInfer<FieldName<I>>]?: Json }>
  /** `raw`: any body, as exact bytes, for requests of other services. */
  readonly body?: B
  /**
   * Checks that a raw body comes from its sender, by its signature. Returns what `run` gets as
   * `verified`. Where it returns false or throws, the answer is 401. The server then reads no
   * credentials: the rule must be `anyone`.
   */
  readonly verify?: (raw: RawBody) => V | false | Promise<V | false>
  /**
   * The sender's id of this request, such as the id of an event: the first transaction of `run` is
   * done once for each. A repeat within 30 days is answered as before, and `run` does not run.
   */
  readonly once?: (sent: {
    readonly input: RecordOf<NoInfer<I>>
    readonly verified: NoInfer<V>
    readonly request: EndpointRequest
  }) => string
  /**
   * The answer: fields of a JSON object, `lines({ … })`, or `bytes('text/csv')`. Without it the
   * answer is empty (204).
   */
  readonly output?: O
  /** Code of an error → the sentence that says when it is sent: `refuse('conflict')`. */
  readonly errors?: Readonly<{ [K in E]: string }>
  /** The rate of requests, the size of bodies, and the time of the code. */
  readonly limits?: EndpointLimits
  /** The code. It is outside of a transaction, and opens one by `transaction(…)`. */
  readonly run: (
    code: EndpointCode<NoInfer<F>, NoInfer<I>, NoInfer<Q>, NoInfer<E>, NoInfer<B>, NoInfer<V>>,
  ) => R | Promise<R>
}

/** An endpoint as the engine knows it. */
export type AnyEndpoint = Omit<
  EndpointDeclaration<
    string,
    Fields,
    Fields,
    Fields,
    EndpointOutput | undefined,
    EndpointError,
    'raw' | undefined,
    unknown,
    unknown
  >,
  'on' | 'rule' | 'run' | 'once' | 'verify' | 'errors' | 'example'
> & {
  readonly on?: { readonly record?: ResourceHandle<Fields>; readonly collection?: ResourceHandle<Fields> }
  readonly rule: Rule
  readonly errors?: Readonly<Partial<Record<EndpointError, string>>>
  readonly example?: Readonly<Record<string, Json>>
  readonly verify?: (raw: RawBody) => unknown
  readonly once?: (sent: { input: unknown; verified: unknown; request: EndpointRequest }) => unknown
  readonly run: (code: never) => unknown
}

/** An endpoint as an application lists it. */
export type DeclaredEndpoint<N extends string = string> = DeclaredPart<N> & { readonly endpoint: AnyEndpoint }
