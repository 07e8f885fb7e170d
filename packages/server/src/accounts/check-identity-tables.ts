/**
 * Finds mistakes between the tables of accounts, at start. It finds tables that lack another one,
 * and rules about users or keys in an application without them. Each is reported with file and
 * field.
 */

import { isVerification } from '../resource/accounts/credential-actions.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Field } from '../resource/fields/field.ts'
import { anonymous, type Principal } from '../resource/principal.ts'
import type { Rule } from '../resource/rule.ts'
import { rulesOfResource } from '../resource/rules/walk-rules.ts'

/** The part that an application lacks, in a sentence, with the declaration to add. */
const lacks = {
  users: 'there are no users: list ...accounts({ roles, users })',
  keys: 'there are no API keys: accounts({ …, keys: true }) has them',
  recovery: 'there are no mails: accounts({ …, recovery: true }) has them',
} as const

/** Whether a caller can satisfy a rule never depends on the time. */
const now = () => '2000-01-01T00:00:00.000Z'

const signUps = ['open', 'approval', 'closed'] as const

/** Has every value that a rule may ask of a caller. */
const anyValues: Readonly<Record<string, unknown>> = new Proxy({}, { get: () => 'any' })

const userBy = (via: 'token' | 'key'): Principal => ({
  kind: 'user',
  userId: 'any',
  role: '',
  via,
  scopes: null,
  user: anyValues,
  claims: anyValues,
})

/**
 * The missing part without which no caller can ever satisfy the rule, whatever the settings are;
 * undefined when nothing is missing. It is found by a call of the rule.
 */
function missingFor(rule: Rule, resource: Resource, declared: Catalog): 'users' | 'keys' | undefined {
  // Every role passes here, or none: an unknown role is another mistake.
  const passes = (principal: Principal) =>
    [true, false].some((reaches) => {
      const catalog = { ...declared, roles: { ...declared.roles, reaches: () => reaches, has: () => reaches } }
      return signUps.some((signUp) => {
        const settings = { currency: 'USD', signUp }
        return rule.type.where(rule, { catalog, settings, resource, principal, now }).kind !== 'false'
      })
    })
  if (passes(anonymous)) return undefined
  if (passes(userBy('token'))) return declared.login ? undefined : 'users'
  return declared.apiKey || !passes(userBy('key')) ? undefined : 'keys'
}

function* unsatisfied(catalog: Catalog): Generator<string> {
  for (const resource of catalog.resources.values())
    for (const [where, rule] of rulesOfResource(resource)) {
      const missing = missingFor(rule, resource, catalog)
      if (missing)
        yield `${resource.writtenIn}: ${resource.name}: ${where}: no caller can satisfy this: ${lacks[missing]}`
    }
}

/** `accounts` makes tables that need each other, and a list may name some of them alone. */
function* leftOut({ login, session, refreshToken, ...others }: Catalog): Generator<string> {
  const { oneTimeToken, outgoingMail, factor, recoveryCode } = others
  const pairs = [
    [login, session && refreshToken, 'sessions and refreshTokens'],
    [oneTimeToken, outgoingMail, 'outgoingMails'],
    [factor, recoveryCode, 'recoveryCodes'],
  ] as const
  for (const [one, needed, names] of pairs)
    if (one && !needed) {
      const { writtenIn, name } = one.resource
      yield `${writtenIn}: ${name}: needs the ${names} of accounts: list all that it makes: ...accounts({ … })`
    }
}

/** Addresses are proven by tokens that mails carry. */
function* noTokens({ login, oneTimeToken }: Catalog): Generator<string> {
  if (!login || oneTimeToken) return
  const { writtenIn, name: of, actions } = login.resource
  for (const [name, action] of Object.entries(actions))
    if (isVerification(action))
      yield `${writtenIn}: ${of}: actions.${name}: verifyAddress sends mails, and ${lacks.recovery}`
}

/** Mails go to the name that people log in with, so that must be an address. */
function* noAddresses({ login, outgoingMail }: Catalog): Generator<string> {
  if (!login || !outgoingMail) return
  const { resource, mark } = login
  const field = resource.fields[mark.login] as Field
  if (field.type.schema(field).format !== 'email')
    yield `${resource.writtenIn}: ${resource.name}: identity.login: mails go to "${mark.login}", so it must be an address: format: 'email'; or accounts({ …, recovery: false })`
}

/**
 * Roles in the wrong order, or a careless default, would make everyone who signs up an operator.
 */
function* openOperators(catalog: Catalog): Generator<string> {
  const { login, roles } = catalog
  const rule = login?.resource.access.create
  if (!login || !rule || roles.names.length < 2) return
  const { resource, mark } = login
  const given = resource.fields[mark.role]?.default
  const isOpen = signUps.some((signUp) => {
    const asked = { catalog, settings: { currency: 'USD', signUp }, resource, principal: anonymous, now }
    return rule.type.where(rule, asked).kind !== 'false'
  })
  const advice = roles.isOrdered ? 'roles are said in rising order' : 'give the field another default'
  if (isOpen && typeof given === 'string' && roles.reaches(given, roles.operator))
    yield `${resource.writtenIn}: ${resource.name}: field "${mark.role}": anyone who signs up would be ${given}, the role that operates the service: ${advice}`
}

/** One line for each mistake, like those of `resource/check.ts`. */
export function findIdentityProblems(catalog: Catalog): string[] {
  const checks = [leftOut, unsatisfied, noAddresses, noTokens, openOperators]
  return checks.flatMap((check) => [...check(catalog)])
}
