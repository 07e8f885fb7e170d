/**
 * `/mcp`, as documents have it. It is served where the operator wants it or has installed what it
 * needs.
 */

import { defineRoute, type RouteGroup } from '../endpoint/define-route.ts'
import { documentedResponse, mediaBody } from '../endpoint/documented-response.ts'
import { ruleAccess } from '../endpoint/route-access.ts'
import type { HttpRequest, HttpResponse } from '../http/messages/exchange.ts'
import { anyone } from '../resource/rules/anyone.ts'

export type McpRouteDeps = { readonly answer: (request: HttpRequest) => Promise<HttpResponse> }

const tools = defineRoute({
  method: 'POST',
  path: '/mcp',
  describe: { line: { operation: 'tools', who: 'as each tool says', answers: '200 MCP, where it is on' } },
  rule: ruleAccess(anyone),
  isRaw: true,
  output: {
    200: documentedResponse('What the tool says.', { body: mediaBody({ 'application/json': { schema: {} } }) }),
  },
  errors: ['bad-request', 'unauthenticated', 'forbidden'],
  run: ({ request }, { answer }: McpRouteDeps) => answer(request),
})

export function mcpRoutes(): RouteGroup<McpRouteDeps> {
  return { routes: [tools] }
}
