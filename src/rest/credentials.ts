/** Where a request carries its credentials: the Authorization and X-API-Key headers, and the parameter `api_key`. */
import type { Credentials } from '../identity/identity.ts'
import { parseParameters } from '../operation/parameters.ts'
import type { RestRequest } from './exchange.ts'

function headerOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value
}

/** Throws `bad-request` for a query that cannot be read. */
export function credentialsOf(request: RestRequest): Credentials {
  // The name may be escaped, so any query that could hide it is read.
  const mayHaveKey = request.query !== '' && (request.query.includes('api_key') || request.query.includes('%'))
  return {
    authorization: request.headers.authorization,
    keyHeader: headerOf(request.headers['x-api-key']),
    keyParameter: mayHaveKey ? parseParameters(request.query).get('api_key') : undefined,
  }
}
