/** The routes of the metrics port: `/metrics` for Prometheus, and `/status` for `bindery top`. */
import { defineRoute, type RouteGroup } from '../endpoint/define-route.ts'
import { documentedResponse, mediaBody } from '../endpoint/documented-response.ts'
import { openAccess } from '../endpoint/route-access.ts'
import type { PrintMetrics } from '../observe/print-metrics.ts'
import type { GatherFamilies, StatusWatch } from '../observe/status-watch.ts'
import { json } from './messages/exchange.ts'

export type MetricsNeeds = {
  readonly gather: GatherFamilies
  readonly watch: StatusWatch
  readonly print: PrintMetrics
}

/**
 * The port asks for no credential: only its own machine reaches it, unless the operator says
 * otherwise.
 */
const openPort = { rule: openAccess, isRaw: true } as const

const metrics = defineRoute({
  method: 'GET',
  path: '/metrics',
  describe: { line: { operation: 'metrics', who: 'anyone', answers: '200 numbers for Prometheus' } },
  ...openPort,
  output: {
    200: documentedResponse('Numbers for Prometheus.', {
      body: mediaBody({ 'text/plain': { schema: { type: 'string' } } }),
    }),
  },
  async run({ request: { headers } }, { gather, print }: MetricsNeeds) {
    const { type, text } = await print(await gather(0), headers.accept)
    return { status: 200, headers: { 'content-type': type }, body: text }
  },
})

const status = defineRoute({
  method: 'GET',
  path: '/status',
  describe: { line: { operation: 'status', who: 'anyone', answers: '200 numbers' } },
  ...openPort,
  output: { 200: documentedResponse('Numbers.', { body: mediaBody({ 'application/json': { schema: {} } }) }) },
  run: async (_call, { watch }: MetricsNeeds) => json(200, await watch.status()),
})

export const metricsRoutes: RouteGroup<MetricsNeeds> = { routes: [metrics, status] }
