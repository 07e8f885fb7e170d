/**
 * Live sets for other protocols: the same streams, with filters that are no query of an address and
 * events that are printed in another form.
 */
import type { IdentifiedRequest } from '../../http/identify-request.ts'
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import { namedTenant } from '../../http/named-tenant.ts'
import type { RequestPipeline } from '../../rest/handle-request.ts'
import { type FollowedRequest, follow } from '../followed.ts'
import { beginRequest } from './answer-live.ts'
import type { LiveRoom } from './live-room.ts'
import { openStream } from './open-stream.ts'
import type { EventForm } from './print-live.ts'

type AskedFollowing = Pick<FollowedRequest, 'resource' | 'parameters' | 'tree'> & {
  readonly after: string | undefined
  readonly form: EventForm
}

export type BegunFollowing = {
  readonly caller: IdentifiedRequest
  open(asked: AskedFollowing): Promise<HttpResponse>
}

/** Begins a stream for GraphQL: its list is known once the document has been read. */
export async function beginFollowing(
  live: LiveRoom,
  pipeline: RequestPipeline,
  request: HttpRequest,
): Promise<BegunFollowing> {
  const { room } = live
  const { caller, place } = await beginRequest({ room, pipeline }, request, 'graphql')
  return {
    caller,
    open({ form, after, ...list }) {
      const followed = follow(room.engine, { ...list, tenant: namedTenant(request) })
      const asked = [{ kind: 'set', name: undefined, followed } as const]
      return openStream(live, { request, caller, place, asked, form, after })
    },
  }
}
