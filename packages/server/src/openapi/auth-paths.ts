/** The routes of `rest/auth-routes.ts`: log in, refresh, log out. Where nobody logs in or no keys exist, their credentials are left out. */
import type { Catalog } from '../resource/catalog.ts'
import { apiPrefix } from '../rest/route.ts'
import { answer, errorsFor } from './answers.ts'
import { jsonContent, type Node, nodesOf, refTo } from './node.ts'

const authTag: Node = {
  name: 'Authentication',
  description: 'Access tokens of 15 minutes, refresh tokens of 7 days.',
}

const tags = ['Authentication']
const text: Node = { type: 'string' }

const authSchemas: Node = {
  Login: {
    type: 'object',
    required: ['email', 'password'],
    properties: { email: text, password: { type: 'string', format: 'password', writeOnly: true } },
  },
  TokenPair: {
    type: 'object',
    required: ['accessToken', 'refreshToken'],
    properties: { accessToken: text, refreshToken: text },
  },
  RefreshedToken: {
    type: 'object',
    required: ['accessToken'],
    properties: {
      accessToken: text,
      refreshToken: { type: 'string', description: 'Only where the body carried the token before.' },
    },
  },
  RefreshToken: {
    type: 'object',
    description: 'For clients that keep no cookies.',
    properties: { refreshToken: text },
  },
}

/** The cookie, or the same token in the body. */
const fromCookie: Node = {
  security: [{ refreshCookie: [] }, {}],
  requestBody: { required: false, content: jsonContent(refTo('schemas', 'RefreshToken')) },
}
const always = ['too-large', 'too-many-requests', 'internal', 'unavailable'] as const

const login: Node = {
  tags,
  summary: 'Log in',
  description: 'Wrong, unknown and inactive look the same. Too many failures are 429.',
  security: [],
  requestBody: { required: true, content: jsonContent(refTo('schemas', 'Login')) },
  responses: {
    '200': answer(
      'Both tokens; the refresh token is in the cookie too.',
      ['Set-Cookie'],
      jsonContent(refTo('schemas', 'TokenPair')),
    ),
    ...errorsFor(['bad-request', 'unauthenticated', 'not-acceptable', 'unsupported-media-type', ...always]),
  },
}
const refresh: Node = {
  tags,
  summary: 'Take a new access token',
  description: 'The refresh token is followed by its successor. A request that another site caused is 403.',
  ...fromCookie,
  responses: {
    '200': answer('A new access token.', ['Set-Cookie'], jsonContent(refTo('schemas', 'RefreshedToken'))),
    ...errorsFor(['bad-request', 'unauthenticated', 'forbidden', 'not-acceptable', ...always]),
  },
}
const logout: Node = {
  tags,
  summary: 'Log out',
  description: 'Ends the session. Without one, or repeated, it answers the same.',
  ...fromCookie,
  responses: {
    '204': answer('The session has ended.', ['Set-Cookie']),
    ...errorsFor(['forbidden', ...always]),
  },
}

function at(mount: string, suffix: string): readonly (readonly [string, Node])[] {
  const operations = { login, refresh, logout }
  return Object.entries(operations).map(([name, node]) => [
    `${mount}/auth/${name}`,
    { post: { operationId: `${name}${suffix}`, ...node } },
  ])
}

const authPaths: readonly (readonly [string, Node])[] = [
  ...at(apiPrefix, ''),
  [`${apiPrefix}/auth/refresh-token`, { post: { operationId: 'refreshToken', ...refresh } }],
  ...at('', 'AtRoot'),
]

type AuthParts = {
  readonly tags: readonly Node[]
  readonly schemas: Node
  readonly paths: readonly (readonly [string, Node])[]
}

/** Empty parts where nobody logs in. */
export function authParts({ login }: Catalog): AuthParts {
  return login ? { tags: [authTag], schemas: authSchemas, paths: authPaths } : { tags: [], schemas: {}, paths: [] }
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

/** A path without requirements for credentials that this application does not have. `{}`, which requires none, stays. */
export function withKnownCredentials(catalog: Catalog, path: Node): Node {
  const known = credentialsOf(catalog)
  const operations = Object.entries(path) as [string, Node & { readonly security: readonly Node[] }][]
  return nodesOf(
    operations.map(([method, operation]) => {
      const security = operation.security.filter((one) => Object.keys(one).every((name) => known.includes(name)))
      return [method, { ...operation, security }]
    }),
  )
}
