/**
 * The source of the events of subscriptions, which the room of live lists implements. GraphQL says
 * how each event is printed.
 */
import type { IdentifiedRequest } from '../../http/identify-request.ts'
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import type { Parameters } from '../../operation/parameters.ts'
import type { Resource } from '../../resource/catalog.ts'

/** One event of a live stream: `enter`, `ready`, `end` and so on, with its data. */
export type StreamBlock = { readonly event: string; readonly data: unknown; readonly id?: string | undefined }

export type AskedSubscription = {
  readonly resource: Resource
  /** Filters, as a list of REST takes them. */
  readonly parameters: Parameters
  /** The filter that is JSON. */
  readonly tree: unknown
  /** The position behind which it goes on. */
  readonly after: string | undefined
  /** Streams with the same key share their texts. */
  readonly form: { readonly key: string; print(block: StreamBlock): string }
}

export type BegunSubscription = {
  /** The caller, with all changes of rights before the records are read. */
  readonly caller: IdentifiedRequest
  /** Throws as the list does, and `too-many-requests` or `unavailable` for too many streams. */
  open(asked: AskedSubscription): Promise<HttpResponse>
}

export type SubscriptionSource = {
  /** Identifies the caller. Throws for a bad credential, and `too-many-requests`. */
  begin(request: HttpRequest): Promise<BegunSubscription>
}
