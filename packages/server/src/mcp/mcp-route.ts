/**
 * `/mcp`, as documents have it. It is served where the operator wants it or has installed what it needs.
 */

import { defineRoute, type Subject } from '../endpoint/define-route.ts'
import { inside } from '../endpoint/door.ts'
import { answer, media } from '../endpoint/route-answer.ts'
import type { HttpRequest, HttpResponse } from '../http/messages/exchange.ts'
import { anyone } from '../resource/rules/anyone.ts'

export type McpNeeds = { readonly answer: (request: HttpRequest) => Promise<HttpResponse> }

const tools = defineRoute({
  method: 'POST',
  path: '/mcp',
  describe: { line: { operation: 'tools', who: 'as each tool says', answers: '200 MCP, where it is on' } },
  rule: inside(anyone),
  isRaw: true,
  output: { 200: answer('What the tool says.', { body: media({ 'application/json': { schema: {} } }) }) },
  errors: ['bad-request', 'unauthenticated', 'forbidden'],
  run: ({ request }, { answer }: McpNeeds) => answer(request),
})

export function mcpRoutes(): Subject<McpNeeds> {
  return { routes: [tools] }
}
