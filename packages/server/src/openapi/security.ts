/** Access rules as the document shows them: which credentials may be sent. */
import { isOpen } from '../policy/passing.ts'
import type { Catalog } from '../resource/catalog.ts'
import type { Json } from '../resource/fields/field.ts'
import { isTable } from '../resource/members.ts'
import type { Place, Rule } from '../resource/rule.ts'
import { type NamedNode, type Node, nodesOf } from './node.ts'

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

const securityIn = (operation: Json): Json | undefined =>
  isTable(operation) ? (operation.security as Json) : undefined

/** What most operations ask for: it stands once, at the head of the document. */
export function usualSecurity(items: readonly (readonly [path: string, item: Node])[]): Json {
  const uses = new Map<string, number>()
  for (const [, item] of items) {
    for (const operation of Object.values(item)) {
      const security = securityIn(operation)
      if (security !== undefined) uses.set(JSON.stringify(security), (uses.get(JSON.stringify(security)) ?? 0) + 1)
    }
  }
  const [usual] = [...uses].toSorted(([, a], [, b]) => b - a)
  return JSON.parse(usual?.[0] ?? '[]') as Json
}

/** The path without what is said at the head. */
export function withoutUsual(item: Node, usual: Json): Node {
  const text = JSON.stringify(usual)
  const entries = Object.entries(item).map(([key, operation]) => {
    if (JSON.stringify(securityIn(operation)) !== text) return [key, operation] as const
    const { security: _usual, ...rest } = operation as Node
    return [key, rest] as const
  })
  return Object.fromEntries(entries)
}

/** The credentials that this application has, by the names of their schemes. */
function credentialsOf({ login, apiKey }: Catalog): readonly string[] {
  return [...(login ? ['bearer', 'refreshCookie'] : []), ...(apiKey ? ['apiKeyHeader', 'apiKeyQuery'] : [])]
}

/** `{ bearer: … }` → those of the schemes that this application has. */
export function knownSchemes(catalog: Catalog, schemes: Node): Node {
  const known = credentialsOf(catalog)
  return nodesOf(Object.entries(schemes).filter(([name]) => known.includes(name)) as [string, Node][])
}

/**
 * A path without requirements for credentials that this application does not have. `{}`, which
 * requires none, stays.
 */
export function withKnownCredentials(catalog: Catalog, path: Node): Node {
  const known = credentialsOf(catalog)
  return nodesOf(
    Object.entries(path).map(([name, value]): NamedNode => {
      const { security } = value as { readonly security?: readonly Node[] }
      if (!security) return [name, value as Node] // it is no operation
      const left = security.filter((one) => Object.keys(one).every((scheme) => known.includes(scheme)))
      return [name, { ...(value as Node), security: left }]
    }),
  )
}
