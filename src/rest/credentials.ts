/** Where a request carries its credentials: the Authorization and X-API-Key headers, and the parameter `api_key`. */
import { ApiError } from '../errors.ts'
import type { Credentials } from '../identity/identity.ts'
import { parseParameters } from '../operation/parameters.ts'
import type { RestRequest } from './exchange.ts'

/** A header that came twice is joined with commas, which no key holds. */
function keyOf(value: string | string[] | undefined): string | undefined {
  const keys = new Set(String(value ?? '').split(',').map((key) => key.trim()))
  if (keys.size > 1) throw new ApiError('bad-request', 'Two different API keys were sent')
  return [...keys][0]
}

/** Throws `bad-request` for a query that cannot be read, and for two different keys. */
export function credentialsOf(request: RestRequest): Credentials {
  // The name may be escaped, so any query that could hide it is read.
  const mayHaveKey = request.query !== '' && (request.query.includes('api_key') || request.query.includes('%'))
  return {
    authorization: request.headers.authorization,
    keyHeader: keyOf(request.headers['x-api-key']),
    keyParameter: mayHaveKey ? parseParameters(request.query).get('api_key') : undefined,
  }
}
