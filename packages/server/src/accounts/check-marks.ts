/**
 * Mistakes in the marks of identity: a mark without the ones that it needs, and rules about users or keys in an application that has none.
 * They are found at start, with file and field.
 */

import { isVerification } from '../resource/accounts/credential-actions.ts'
import { credentialSlug } from '../resource/accounts/credentials.ts'
import type { IdentityMark } from '../resource/accounts/identity-mark.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Field } from '../resource/fields/field.ts'
import { anonymous, type Principal } from '../resource/principal.ts'
import type { Rule } from '../resource/rule.ts'
import { user } from '../resource/rules/any-user.ts'

type Kind = IdentityMark['kind']
type Known = Readonly<Record<Kind, Resource | undefined>>
type Context = { readonly catalog: Catalog; readonly known: Known }

/** A log-in needs somewhere to store its sessions; sessions, keys and an audit need users. */
const needs: Readonly<Record<Kind, readonly Kind[]>> = {
  login: ['session', 'refresh-token'],
  session: ['login'],
  'refresh-token': ['login'],
  'api-key': ['login'],
  'linked-account': ['login'],
  'one-time-token': ['login', 'outgoing-mail'],
  'outgoing-mail': ['login'],
  factor: ['login', 'recovery-code'],
  'recovery-code': ['factor'],
  audit: ['login'],
}

function nobodyIs(kind: Kind): string {
  return `no resource is marked as identity: { kind: '${kind}' }`
}

const signUps = ['open', 'approval', 'closed'] as const

const userBy = (via: 'token' | 'key'): Principal => ({ kind: 'user', userId: 'somebody', role: '', via, scopes: null })

/**
 * The mark without which nobody can ever satisfy the rule, whatever the settings are; undefined when nothing is missing. It is found by
 * asking the rule.
 */
function missingFor(rule: Rule, resource: Resource, { catalog: declared, known }: Context): Kind | undefined {
  // Of every role: a rule that names an unknown one is another mistake.
  const catalog = { ...declared, roles: { ...declared.roles, reaches: () => true } }
  const passes = (principal: Principal) =>
    signUps.some((signUp) => {
      const settings = { currency: 'USD', signUp }
      return rule.type.where(rule, { catalog, settings, resource, principal }).kind !== 'false'
    })
  if (passes(anonymous)) return undefined
  if (passes(userBy('token'))) return known.login ? undefined : 'login'
  return known['api-key'] || !passes(userBy('key')) ? undefined : 'api-key'
}

/** Every rule of a resource, with its place in the declaration. */
function* rulesOf(resource: Resource): Generator<readonly [string, Rule]> {
  for (const [operation, rule] of Object.entries(resource.access)) if (rule) yield [`access.${operation}`, rule]
  for (const [operation, rule] of Object.entries(resource.accessAfter))
    if (rule) yield [`access.${operation}.after`, rule]
  for (const [name, { read, write }] of Object.entries(resource.fields)) {
    if (read) yield [`field "${name}": read`, read]
    if (write) yield [`field "${name}": write`, write]
  }
  for (const side of ['query', 'mutation'] as const) {
    for (const [name, { access, returns }] of Object.entries(resource.graphql[side])) {
      if (access) yield [`graphql.${side}.${name}`, access]
      if (returns === 'self') yield [`graphql.${side}.${name}`, user]
    }
  }
}

function* mistakesOf(resource: Resource, context: Context): Generator<string> {
  const { known } = context
  const at = `${resource.writtenIn}: ${resource.name}`
  const kind = resource.identity?.kind
  for (const needed of kind ? needs[kind] : [])
    if (!known[needed]) yield `${at}: identity: "${kind}" needs another one, and ${nobodyIs(needed)}`
  for (const [where, rule] of rulesOf(resource)) {
    const missing = missingFor(rule, resource, context)
    if (missing) yield `${at}: ${where}: nobody can satisfy this: ${nobodyIs(missing)}`
  }
}

/** A scope of the engine's own must not mean a resource as well. */
function* takenSlugs({ resources, apiKey }: Catalog): Generator<string> {
  for (const { slug, writtenIn, name } of apiKey ? resources.values() : [])
    if (slug === credentialSlug)
      yield `${writtenIn}: ${name}: "${slug}" is taken: the scope of API keys for log-ins has that name`
}

/** Addresses are proven by tokens that mails carry. */
function* noTokens({ login, oneTimeToken }: Catalog): Generator<string> {
  if (!login || oneTimeToken) return
  const { writtenIn, name: of, actions } = login.resource
  for (const [name, action] of Object.entries(actions))
    if (isVerification(action))
      yield `${writtenIn}: ${of}: actions.${name}: verifyAddress sends tokens, and ${nobodyIs('one-time-token')}`
}

/** Mails go to the name that people log in with, so that must be an address. */
function* noAddresses({ login, outgoingMail }: Catalog): Generator<string> {
  if (!login || !outgoingMail) return
  const { resource, mark } = login
  const field = resource.fields[mark.login] as Field
  if (field.type.schema(field).format !== 'email')
    yield `${resource.writtenIn}: ${resource.name}: identity.login: mails go to "${mark.login}", so it must be an address: format: 'email'`
}

/** Roles in the wrong order, or a careless default, would make everyone who signs up an operator. */
function* openOperators(catalog: Catalog): Generator<string> {
  const { login, roles } = catalog
  const rule = login?.resource.access.create
  if (!login || !rule || roles.names.length < 2) return
  const { resource, mark } = login
  const given = resource.fields[mark.role]?.default
  const isOpen = signUps.some((signUp) => {
    const asked = { catalog, settings: { currency: 'USD', signUp }, resource, principal: anonymous }
    return rule.type.where(rule, asked).kind !== 'false'
  })
  if (isOpen && typeof given === 'string' && roles.reaches(given, roles.operator))
    yield `${resource.writtenIn}: ${resource.name}: field "${mark.role}": anyone who signs up would be ${given}, the role that operates the service: roles are said in rising order`
}

/** One line for each mistake, like those of `resource/check.ts`. */
export function findIdentityMistakes(catalog: Catalog): string[] {
  const {
    resources,
    login,
    session,
    refreshToken,
    apiKey,
    oneTimeToken,
    outgoingMail,
    factor,
    recoveryCode,
    audit,
    linkedAccount,
  } = catalog
  const known: Known = {
    login: login?.resource,
    session: session?.resource,
    'refresh-token': refreshToken?.resource,
    'api-key': apiKey?.resource,
    'linked-account': linkedAccount?.resource,
    'one-time-token': oneTimeToken?.resource,
    'outgoing-mail': outgoingMail?.resource,
    factor: factor?.resource,
    'recovery-code': recoveryCode?.resource,
    audit: audit?.resource,
  }
  const mistakes = [...resources.values()].flatMap((resource) => [...mistakesOf(resource, { catalog, known })])
  return [...mistakes, ...takenSlugs(catalog), ...noAddresses(catalog), ...noTokens(catalog), ...openOperators(catalog)]
}
