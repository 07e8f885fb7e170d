/**
 * The route `/mcp`, with its description for the documents. It is served where the operator enables
 * it, or has installed the package that it needs.
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
    200: documentedResponse('The result of the tool.', { body: mediaBody({ 'application/json': { schema: {} } }) }),
  },
  errors: ['bad-request', 'unauthenticated', 'forbidden'],
  run: ({ request }, { answer }: McpRouteDeps) => answer(request),
})

export function mcpRoutes(): RouteGroup<McpRouteDeps> {
  return { routes: [tools] }
}
