/** The parameter that keeps an answer open, and the form of its answer then. */
import type { Resource } from '../../resource/catalog.ts'
import { followedBy } from '../../resource/effects/declared-changes.ts'
import { liveParameter, takesLive } from '../../rest/live-routes.ts'
import type { Route } from '../../rest/route.ts'
import type { OpenapiNode } from '../openapi-node.ts'

const about =
  'Keeps the answer open, as server-sent events: the records (`record`, then `ready`), and then what becomes of them (`enter`, `change`, `leave`, `delete`). With `limit`, `sort`, `expand` and the like it is a `page`, sent again where it differs. `Last-Event-ID` resumes.'

export function liveParameters(route: Route): readonly OpenapiNode[] {
  if (!takesLive(route) || route.summarizes) return []
  const schema = { type: 'string', enum: ['', 'true'] }
  return [{ name: liveParameter, in: 'query', description: about, allowEmptyValue: true, schema, example: '' }]
}

/** Empty for answers of this operation that are never live. */
export function liveContent(resource: Resource, operation: 'list' | 'get'): OpenapiNode {
  if (followedBy(resource) !== operation) return {}
  const content = {
    'text/event-stream': {
      schema: { type: 'string', description: `Server-sent events, where \`${liveParameter}\` asks for them.` },
      example: 'event: ready\ndata: {"position":"…"}\n\n',
    },
  }
  return content
}
