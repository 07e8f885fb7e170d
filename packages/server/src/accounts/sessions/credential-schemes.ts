/** The credentials of accounts, as the OpenAPI document describes them. */
import type { CredentialScheme } from '../../endpoint/define-route.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { listParameters } from '../../resource/list-style.ts'
import { cookieName } from './cookies/refresh-cookie.ts'

const bearer: CredentialScheme = {
  name: 'bearer',
  of: 'callers',
  scheme: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The access token of a log-in, a JWT that is checked as RFC 8725 asks. It lives 15 minutes.',
  },
}

const keys: readonly CredentialScheme[] = [
  {
    name: 'apiKeyHeader',
    of: 'programs',
    scheme: {
      type: 'apiKey',
      in: 'header',
      name: listParameters.credential.header,
      description: 'An API key acts for its owner, cut down to its scopes.',
    },
  },
  {
    name: 'apiKeyQuery',
    of: 'programs',
    scheme: {
      type: 'apiKey',
      in: 'query',
      name: listParameters.credential.name,
      description: 'The same key where no header can be set; it is visible in logs.',
    },
  },
]

export const refreshCookie = {
  name: 'refreshCookie',
  of: 'own routes',
  holder: 'holder of a refresh token',
  scheme: {
    type: 'apiKey',
    in: 'cookie',
    name: cookieName,
    description: 'Set by the login, for refresh and logout alone.',
  },
} as const satisfies CredentialScheme

/** Those that this application has. */
export function credentialSchemes({ login, apiKey }: Catalog): readonly CredentialScheme[] {
  return [...(login ? [bearer] : []), ...(apiKey ? keys : []), ...(login ? [refreshCookie] : [])]
}
