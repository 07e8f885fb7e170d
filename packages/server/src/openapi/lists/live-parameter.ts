/** The parameter that keeps a list open, and the form of its answer then. */
import type { Resource } from '../../resource/catalog.ts'
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

/** Empty for lists that are never live. */
export function liveContent({ shownNames }: Pick<Resource, 'shownNames'>): OpenapiNode {
  if (!shownNames) return {}
  const content = {
    'text/event-stream': {
      schema: { type: 'string', description: `Server-sent events, where \`${liveParameter}\` asks for them.` },
      example: 'event: ready\ndata: {"position":"…"}\n\n',
    },
  }
  return content
}
