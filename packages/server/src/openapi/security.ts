/** Access rules as the document shows them: which credentials may be sent. */
import { isOpen } from '../policy/passing.ts'
import type { Place, Rule } from '../resource/rule.ts'
import type { Node } from './node.ts'

const bearer: Node = { bearer: [] }
const keys: readonly Node[] = [{ apiKeyHeader: [] }, { apiKeyQuery: [] }]

export const securitySchemes: Node = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The access token of a log-in, a JWT that is checked as RFC 8725 asks. It lives 15 minutes.',
  },
  apiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'An API key acts for its owner, cut down to its scopes.',
  },
  apiKeyQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'api_key',
    description: 'The same key where no header can be set; it is visible in logs.',
  },
  refreshCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'refreshToken',
    description: 'Set by the login, for refresh and logout alone.',
  },
}

/** Alternatives: any one of them suffices, and the empty one stands for no credential. */
export function securityOf(rule: Rule, place: Place): readonly Node[] {
  if (rule.type.needsKey(rule, place.settings)) return keys
  return isOpen(rule, place) ? [{}, bearer, ...keys] : [bearer, ...keys]
}
