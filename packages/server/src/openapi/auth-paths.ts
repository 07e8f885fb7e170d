/** The routes of `rest/accounts/auth-routes.ts`: log in, refresh, log out, accounts by mail. Where nobody logs in or no keys exist, their credentials are left out. */
import type { Catalog } from '../resource/catalog.ts'
import type { Settings } from '../resource/rule.ts'
import { apiPrefix } from '../rest/route.ts'
import { answer, errorsFor } from './answers.ts'
import { factorParts } from './factor-paths.ts'
import {
  bodyContent,
  jsonContent,
  type NamedNode,
  type Node,
  nodesOf,
  notForModels,
  objectSchema,
  refTo,
} from './node.ts'

const authTag: Node = {
  name: 'Authentication',
  description: 'Access tokens of 15 minutes, refresh tokens of 7 days.',
}

const tags = ['Authentication']
const token: Node = { type: 'string', maxLength: 4000 }
const emailExample = 'ada@example.com'

/** A JWT (RFC 7519). */
const accessToken: Node = {
  ...token,
  pattern: '^[\\w-]+\\.[\\w-]+\\.[\\w-]+$',
  description: 'For `Authorization: Bearer …`; it lives 15 minutes.',
}

const authSchemas: Node = {
  Login: objectSchema('Who logs in.', {
    email: { type: 'string', maxLength: 1000, description: 'The e-mail address of the account.' },
    password: {
      type: 'string',
      format: 'password',
      maxLength: 1024,
      writeOnly: true,
      description: 'The password of the account.',
    },
  }),
  TokenPair: objectSchema('Both tokens of a session.', {
    accessToken,
    refreshToken: { ...token, description: 'For a new access token; it lives 7 days.' },
  }),
  RefreshedToken: {
    type: 'object',
    description: 'A new access token.',
    required: ['accessToken'],
    properties: {
      accessToken,
      refreshToken: { ...token, description: 'Its successor, only where the body carried the token before.' },
    },
  },
  RefreshToken: {
    type: 'object',
    description: 'The refresh token, for clients that keep no cookies.',
    properties: { refreshToken: { ...token, description: 'The token of the log-in, or of the refresh before.' } },
  },
}

/** The cookie, or the same token in the body. */
const fromCookie: Node = {
  security: [{ refreshCookie: [] }, {}],
  requestBody: {
    required: false,
    content: bodyContent(refTo('schemas', 'RefreshToken'), { refreshToken: 'the token that was given' }),
  },
}
const always = ['too-many-requests', 'internal'] as const

const login: Node = {
  tags,
  summary: 'Log in',
  description: 'Wrong, unknown and inactive look the same. Too many failures are 429.',
  security: [],
  requestBody: {
    required: true,
    content: bodyContent(refTo('schemas', 'Login'), { email: emailExample, password: 'correct horse battery' }),
  },
  responses: {
    '200': answer(
      'Both tokens; the refresh token is in the cookie too.',
      ['Set-Cookie'],
      jsonContent(refTo('schemas', 'TokenPair')),
    ),
    ...errorsFor(['bad-request', 'unauthenticated', ...always]),
  },
}
const refresh: Node = {
  tags,
  summary: 'Take a new access token',
  description: 'The refresh token is followed by its successor. A request that another site caused is 403.',
  ...fromCookie,
  responses: {
    '200': answer('A new access token.', ['Set-Cookie'], jsonContent(refTo('schemas', 'RefreshedToken'))),
    ...errorsFor(['bad-request', 'unauthenticated', 'forbidden', ...always]),
  },
}
const logout: Node = {
  tags,
  summary: 'Log out',
  description: 'Ends the session. Without one, or repeated, it answers the same.',
  ...fromCookie,
  responses: {
    '204': answer('The session has ended.', ['Set-Cookie']),
    ...errorsFor(['bad-request', 'forbidden', ...always]),
  },
}

/** `login-link` → `loginLink` */
function operationIdOf(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}

function at(name: string, operation: Node, more: readonly string[] = []): NamedNode {
  const path = `/auth/${name}`
  return [
    `${apiPrefix}${path}`,
    { 'x-also-at': [path, ...more], post: { operationId: operationIdOf(name), ...notForModels, ...operation } },
  ]
}

/** Besides the log-in, which says what second factors it asks for. */
const otherPaths: readonly NamedNode[] = [
  at('refresh', refresh, [`${apiPrefix}/auth/refresh-token`]),
  at('logout', logout),
]

const email: Node = { type: 'string', maxLength: 1000, description: 'The e-mail address of the account.' }
const mailToken: Node = { type: 'string', maxLength: 100, description: 'The token of the link in the mail.' }
const password: Node = { type: 'string', format: 'password', maxLength: 1024, description: 'The new password.' }
const tokenExample = 'the token of the mail'

function bodyOf(description: string, properties: Node, example: Node): Node {
  return { required: true, content: bodyContent({ type: 'object', description, properties }, example) }
}
const asked = answer('The same whether there is such an account or not.', [])
const refused = ['bad-request', ...always] as const

const forgot: Node = {
  tags,
  summary: 'Ask for a mail with which a new password is chosen',
  description: 'The mail has a link of one use.',
  security: [],
  requestBody: bodyOf('Whose password it is.', { email }, { email: emailExample }),
  responses: { '202': asked, ...errorsFor([...refused, 'unavailable']) },
}
const reset: Node = {
  tags,
  summary: 'Choose a new password',
  description: 'All sessions of the account end.',
  security: [],
  requestBody: bodyOf(
    'The new password.',
    { token: mailToken, password },
    { token: tokenExample, password: 'correct horse battery' },
  ),
  responses: {
    '204': answer('It is changed.', []),
    ...errorsFor(['bad-request', 'unauthenticated', ...always, 'unavailable']),
  },
}
const verify: Node = {
  tags,
  summary: 'Prove an e-mail address',
  description: 'With `email` in place of `token` it asks for the mail of a sign-up once more: 202.',
  security: [],
  requestBody: bodyOf('What the mail says.', { token: mailToken, email }, { email: emailExample }),
  responses: {
    '202': asked,
    '204': answer('It is proven.', []),
    ...errorsFor(['bad-request', 'unauthenticated', 'conflict', ...always, 'unavailable']),
  },
}
const loginLink: Node = {
  tags,
  summary: 'Log in by a link in a mail',
  description: 'With `email` it asks for the mail, with `token` it logs in.',
  security: [],
  requestBody: bodyOf('The address, or the token.', { token: mailToken, email }, { email: emailExample }),
  responses: {
    '200': answer('Both tokens.', ['Set-Cookie'], jsonContent(refTo('schemas', 'TokenPair'))),
    '202': asked,
    ...errorsFor(['bad-request', 'unauthenticated', ...always, 'unavailable']),
  },
}

function mailPaths({ oneTimeToken }: Catalog, settings: Settings): readonly NamedNode[] {
  if (!oneTimeToken) return []
  const byMail = [at('forgot', forgot), at('reset', reset), at('verify', verify)]
  return [...byMail, ...(settings.loginLink ? [at('login-link', loginLink)] : [])]
}

type AuthParts = {
  readonly tags: readonly Node[]
  readonly schemas: Node
  readonly paths: readonly NamedNode[]
}

/** Empty parts where nobody logs in. */
export function authParts(catalog: Catalog, settings: Settings): AuthParts {
  if (!catalog.login) return { tags: [], schemas: {}, paths: [] }
  const { schemas, paths, refusedLogIn } = factorParts(catalog)
  const responses = { ...(login.responses as Node), ...(refusedLogIn && { '401': refusedLogIn }) }
  return {
    tags: [authTag],
    schemas: { ...authSchemas, ...schemas },
    paths: [at('login', { ...login, responses }), ...otherPaths, ...mailPaths(catalog, settings), ...paths],
  }
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
  return nodesOf(
    Object.entries(path).map(([name, value]): NamedNode => {
      const { security } = value as { readonly security?: readonly Node[] }
      if (!security) return [name, value as Node] // it is no operation
      const left = security.filter((one) => Object.keys(one).every((scheme) => known.includes(scheme)))
      return [name, { ...(value as Node), security: left }]
    }),
  )
}
