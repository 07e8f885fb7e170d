/** Connects the endpoints of the application to the engine: for HTTP, and for agents. */

import { callerCode } from '../../code/outside-code.ts'
import type { Config } from '../../config.ts'
import { type EndpointRouteDeps, placedEndpoints } from '../../endpoint/declared/endpoint-routes.ts'
import type { Log } from '../../http/logs/log.ts'
import type { EndpointTools } from '../../mcp/call-tool.ts'
import type { Outgoing } from '../../outgoing/outgoing.ts'
import { authorOf } from '../../record/author.ts'
import { answerEndpoint, type EndpointDeps } from '../../rest/endpoints/answer-endpoint.ts'
import type { RequestPipeline } from '../../rest/handle-request.ts'
import { makeEndpointRates } from '../rate-limit.ts'

type EndpointNeedsDeps = {
  readonly pipeline: RequestPipeline
  readonly outgoing: Outgoing
  readonly config: Config
  readonly log: Log
}

export type EndpointNeeds = { readonly served: EndpointRouteDeps; readonly ofAgents: Omit<EndpointTools, 'find'> }

export function endpointNeeds({ pipeline, outgoing, config, log }: EndpointNeedsDeps): EndpointNeeds {
  const { engine, takeRate, inWork } = pipeline
  const { findCaller } = engine.identity
  const fetch = outgoing.guarded('endpoints')
  const deps: EndpointDeps = {
    engine,
    takeRate,
    inWork,
    takeOwnRate: makeEndpointRates(config, engine),
    makeCode: (one, caller, run) =>
      callerCode({ engine: { ...one, findCaller }, fetch, log, author: authorOf(caller) }, run),
  }
  // A request of an agent counts once towards the rate limit.
  const uncounted = { ...deps, takeRate: undefined }
  return {
    served: { answer: (placed, request) => answerEndpoint(deps, placed, request) },
    ofAgents: {
      placed: placedEndpoints(engine),
      answer: (placed, request) => answerEndpoint(uncounted, placed, request),
    },
  }
}
