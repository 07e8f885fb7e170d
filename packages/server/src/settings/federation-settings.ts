/**
 * Parses the environment variables of other issuers: OpenID Connect providers for log-ins, and
 * trusted issuers of machine tokens. An invalid one becomes one clear line.
 */
import { type Environment, fail, partsOf, type Variable } from '../base/environment.ts'
import { isLoopbackName } from '../base/host-name.ts'
import { isOwnMachine } from './network-settings.ts'
import { parsePublicUrl } from './public-url.ts'

/** `groups:staff=LIBRARIAN,members=READER`: the roles that values of a claim give. */
export type RoleMapping = { readonly claim: string; readonly roles: ReadonlyMap<string, string> }

export type OidcProvider = {
  /** The name in the path: `/auth/oidc/corp`. */
  readonly name: string
  readonly issuer: string
  readonly clientId: string
  /** Undefined for a public client, which uses PKCE alone. */
  readonly clientSecret: string | undefined
  readonly scopes: string
  /** Whether all addresses from it count as verified. */
  readonly addressesVerified: boolean
  /** Undefined: roles are set in this application alone. */
  readonly roleMapping: RoleMapping | undefined
  /**
   * Whether it answers by POST instead of in the address. Apple does so when the log-in asks for an
   * address.
   */
  readonly formPost: boolean
}

export type TrustedIssuer = {
  readonly name: string
  readonly issuer: string
  readonly audience: string
  /** Claims and their required values. */
  readonly claims: ReadonlyMap<string, string>
  /** The log-in name of the user as whom such tokens act. */
  readonly user: string
  /** The scopes that limit them, like those of API keys. */
  readonly scopes: readonly string[]
}

export type FederationSettings = {
  /** The public address of this server; undefined: the address of each request. */
  readonly publicUrl: string | undefined
  /** The providers that people can log in with. */
  readonly oidcProviders: readonly OidcProvider[]
  /** The issuers whose tokens machines may use. */
  readonly trustedIssuers: readonly TrustedIssuer[]
}

export const federationVariables: readonly Variable[] = [
  {
    name: 'PUBLIC_URL',
    takes: 'URL, `https` beyond this machine',
    value: '',
    about: 'the address of this server for browsers, for passkeys and providers: https://api.example',
    more: 'Passkeys belong to this name. Without it the server takes the address of each request, and passkeys work at `localhost` alone.',
  },
  {
    name: 'OIDC_PROVIDERS',
    takes: 'names in small letters, with commas',
    value: '',
    about:
      'names of providers to log in by, google,corp: each with OIDC_NAME_ISSUER, _CLIENT_ID, _CLIENT_SECRET, and if need be _SCOPES, _EMAIL_VERIFIED, _ROLES',
    more: 'See [Log in with OpenID Connect](../how-to/operate-openid-connect.md).',
  },
  {
    name: 'JWT_TRUSTED_ISSUERS',
    takes: 'names in small letters, with commas',
    value: '',
    about:
      'names of issuers whose tokens programs bring: each with JWT_NAME_ISSUER, _AUDIENCE, _CLAIMS, _USER, _SCOPES',
    more: 'See [Accept tokens of a trusted issuer](../how-to/operate-trusted-issuers.md).',
  },
]

/** For each name in `OIDC_PROVIDERS`, in capitals; listed for the reference page alone. */
export const providerVariables: readonly Variable[] = [
  { name: 'OIDC_NAME_CLIENT_ID', takes: 'text', value: '', about: 'the id that the provider gave; required' },
  {
    name: 'OIDC_NAME_CLIENT_SECRET',
    takes: 'text',
    value: '',
    about: 'the secret that the provider gave; without it the client is public and has PKCE alone',
    isSecret: true,
  },
  {
    name: 'OIDC_NAME_ISSUER',
    takes: 'URL, `https` beyond this machine',
    value: 'by the name',
    about: 'the address of the provider, exactly as the provider writes it',
  },
  {
    name: 'OIDC_NAME_SCOPES',
    takes: 'words, with spaces',
    value: 'openid email profile',
    about: 'the scopes that the server asks for',
  },
  {
    name: 'OIDC_NAME_EMAIL_VERIFIED',
    takes: '`claim` or `always`',
    value: 'claim',
    about: 'always: every address of this provider counts as verified',
    more: 'Only for a provider that gives out the addresses itself. Elsewhere a stranger could enter your address there and be you here.',
  },
  {
    name: 'OIDC_NAME_ROLES',
    takes: '`CLAIM:VALUE=ROLE,VALUE=ROLE`',
    value: '',
    about: 'roles by a claim: groups:admins=ADMIN,editors=EDITOR',
    more: 'A dot leads into a claim: `realm_access.roles:admin=ADMIN`.',
  },
]

/** For each name in `JWT_TRUSTED_ISSUERS`, in capitals; each is required. */
export const issuerVariables: readonly Variable[] = [
  {
    name: 'JWT_NAME_ISSUER',
    takes: 'URL',
    value: '',
    about: 'the `iss` of its tokens, to the letter',
    more: 'The server finds its keys by discovery (OpenID Connect, or RFC 8414).',
  },
  {
    name: 'JWT_NAME_AUDIENCE',
    takes: 'text',
    value: '',
    about: 'the name of this server in `aud`',
    more: 'It must not be the client id of an OpenID provider.',
  },
  {
    name: 'JWT_NAME_CLAIMS',
    takes: '`CLAIM=VALUE`, with commas',
    value: '',
    about: 'claims that a token must have, all of them: sub=build,ref=refs/heads/main',
    more: '`sub=*` accepts every subject of the issuer. A dot leads into a claim.',
  },
  {
    name: 'JWT_NAME_USER',
    takes: 'e-mail address',
    value: '',
    about: 'the user as whom the tokens act; it must be ACTIVE',
  },
  {
    name: 'JWT_NAME_SCOPES',
    takes: 'scopes, with commas',
    value: '',
    about: 'the scopes of the tokens, as API keys have them: products:read,products:write',
  },
]

/** Variables that name others, with the forms of those. */
export const namingVariables = [
  ['OIDC_PROVIDERS', providerVariables],
  ['JWT_TRUSTED_ISSUERS', issuerVariables],
] as const

type Preset = { readonly issuer?: string; readonly formPost?: boolean; readonly problem?: string }

/** Known settings of providers by name. Any other provider needs its issuer. */
const presets: Readonly<Record<string, Preset>> = {
  google: { issuer: 'https://accounts.google.com' },
  apple: { issuer: 'https://appleid.apple.com', formPost: true },
  gitlab: { issuer: 'https://gitlab.com' },
  microsoft: {
    problem:
      'is missing: https://login.microsoftonline.com/TENANT/v2.0, with the id of the tenant whose people may log in',
  },
  keycloak: { problem: 'is missing: https://HOST/realms/REALM' },
  auth0: { problem: 'is missing: https://TENANT.auth0.com/, with the slash' },
  okta: { problem: 'is missing: https://ORGANISATION.okta.com' },
  github: {
    problem:
      'is missing: GitHub logs people in by OAuth 2.0 alone, which proves nothing that a server can check. Put a provider such as Keycloak or Dex between',
  },
}

/** `my-corp` as the names of its variables have it. */
export const inVariables = (name: string) => name.toUpperCase().replaceAll('-', '_')
const variableOf = (prefix: string, name: string, what: string) => `${prefix}_${inVariables(name)}_${what}`

function namesOf(env: Environment, variable: string): readonly string[] {
  const names = partsOf(env[variable])
  for (const [i, name] of names.entries()) {
    if (!/^[a-z][a-z0-9-]{0,30}$/.test(name))
      fail(variable, `must be names in small letters, with commas; ${name} is none`)
    if (names.indexOf(name) !== i) fail(variable, `has ${name} twice`)
  }
  return names
}

function required(env: Environment, name: string, meaning: string): string {
  const value = env[name]
  if (value === undefined || value === '') fail(name, `is missing: ${meaning}`)
  return value
}

/**
 * `https`, or a server on this machine. No query and no fragment (OpenID Connect Discovery 1.0,
 * section 3).
 */
function checkIssuer(name: string, issuer: string): string {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackName(url.hostname))
  if (!isSafe || issuer.includes('?') || issuer.includes('#') || url?.username !== '')
    fail(name, `must be an address such as https://accounts.example, as the issuer writes itself, not ${issuer}`)
  return issuer
}

/** The variable that maps the claims of this provider to roles. */
export function rolesVariable(provider: string): string {
  return variableOf('OIDC', provider, 'ROLES')
}

/**
 * `groups:staff=LIBRARIAN`; the claim may contain colons itself:
 * `https://app.example/roles:staff=LIBRARIAN`. The roles are checked when the application is known:
 * `role-settings.ts`.
 */
function parseRoles(env: Environment, name: string): RoleMapping | undefined {
  const text = env[name]
  if (text === undefined || text === '') return undefined
  const [, claim = '', pairs = ''] = /^(.+?):([^:=]+=.*)$/.exec(text) ?? []
  const found = pairs.split(',').map((pair) => /^\s*([^=]+?)\s*=\s*(\w+)\s*$/.exec(pair)?.slice(1) ?? [])
  if (claim === '' || found.some(([value, role]) => !value || !role))
    fail(name, 'must be a claim, and what of it gives which role: groups:staff=LIBRARIAN,members=READER')
  return { claim, roles: new Map(found as [string, string][]) }
}

function parseProviders(env: Environment): readonly OidcProvider[] {
  return namesOf(env, 'OIDC_PROVIDERS').map((name) => {
    if (name === 'link') fail('OIDC_PROVIDERS', 'cannot have link, which is a path of the server')
    const at = (what: string) => variableOf('OIDC', name, what)
    const preset = presets[name] ?? {}
    const issuer = env[at('ISSUER')] || preset.issuer
    if (issuer === undefined) fail(at('ISSUER'), preset.problem ?? 'is missing: the address of the provider')
    const verified = env[at('EMAIL_VERIFIED')] || 'claim'
    if (verified !== 'claim' && verified !== 'always')
      fail(at('EMAIL_VERIFIED'), `must be claim or always, not ${verified}`)
    const scopes = env[at('SCOPES')] || 'openid email profile'
    if (!scopes.split(' ').includes('openid')) fail(at('SCOPES'), `must have openid, with spaces between: ${scopes}`)
    return {
      name,
      issuer: checkIssuer(at('ISSUER'), issuer),
      clientId: required(env, at('CLIENT_ID'), 'the provider gives one to each application'),
      clientSecret: env[at('CLIENT_SECRET')] || undefined,
      scopes: name === 'apple' ? scopes.replace(' profile', '') : scopes,
      addressesVerified: verified === 'always',
      roleMapping: parseRoles(env, rolesVariable(name)),
      formPost: preset.formPost ?? false,
    }
  })
}

/** `sub=build,ref=refs/heads/main`; `sub=*` accepts every subject of the issuer. */
function parseClaims(name: string, text: string): ReadonlyMap<string, string> {
  const pairs = text.split(',').map((pair) => /^\s*([^=\s]+)\s*=\s*(.+?)\s*$/.exec(pair)?.slice(1) ?? [])
  if (pairs.some(([claim]) => claim === undefined))
    fail(name, `must be claims with their values: sub=build, not ${text}`)
  return new Map(pairs as [string, string][])
}

function parseTrustedIssuers(env: Environment, providers: readonly OidcProvider[]): readonly TrustedIssuer[] {
  return namesOf(env, 'JWT_TRUSTED_ISSUERS').map((name) => {
    const at = (what: string) => variableOf('JWT', name, what)
    const audience = required(env, at('AUDIENCE'), 'what its tokens name us by in aud')
    const issuer = checkIssuer(at('ISSUER'), required(env, at('ISSUER'), 'what its tokens have in iss'))
    if (providers.some((one) => one.issuer === issuer && one.clientId === audience))
      fail(
        at('AUDIENCE'),
        'must not be the client id of OIDC: the tokens of people who log in would be taken for machines',
      )
    const scopes = required(env, at('SCOPES'), 'what its tokens may do at most, such as products:read')
    return {
      name,
      issuer,
      audience,
      claims: parseClaims(
        at('CLAIMS'),
        required(env, at('CLAIMS'), 'which of its tokens are meant, such as sub=build'),
      ),
      user: required(env, at('USER'), 'the e-mail of the user as whom its tokens act'),
      scopes: scopes.split(/[\s,]+/).filter((scope) => scope !== ''),
    }
  })
}

/** Throws `StartError` with one clear line about the first invalid value. */
export function parseFederation(env: Environment): FederationSettings {
  const publicUrl = parsePublicUrl(env)
  const oidcProviders = parseProviders(env)
  // If the server has a public name, only the operator knows the address to which a provider sends
  // people back.
  if (oidcProviders.length > 0 && !publicUrl && !isOwnMachine(env.HOST || '127.0.0.1'))
    fail('PUBLIC_URL', 'is missing: providers of OIDC send people back to it')
  return { publicUrl, oidcProviders, trustedIssuers: parseTrustedIssuers(env, oidcProviders) }
}
