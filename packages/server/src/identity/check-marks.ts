/**
 * What declarations need of identity and do not have: marks that come together, and rules about users or keys in an application
 * without them. Both are found at start, with file and field.
 */
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Rule } from '../resource/rule.ts'

type Kind = 'login' | 'session' | 'refresh-token' | 'api-key'
type Known = Readonly<Record<Kind, Resource | undefined>>

/** Logging in needs a place for its sessions; sessions and keys are somebody's. */
const needs: Readonly<Record<Kind, readonly Kind[]>> = {
  login: ['session', 'refresh-token'],
  session: ['login'],
  'refresh-token': ['login'],
  'api-key': ['login'],
}

function nobodyIs(kind: Kind): string {
  return `no resource is marked as identity: { kind: '${kind}' }`
}

/** What is missing for anybody ever to satisfy the rule; undefined when nothing is. */
function missingFor(rule: Rule, known: Known): Kind | undefined {
  switch (rule.kind) {
    case 'anyone':
    case 'where':
      return undefined
    case 'user':
    case 'role':
    case 'owner':
      return known.login ? undefined : 'login'
    case 'machine':
      return known['api-key'] ? missingFor(rule.rule, known) : 'api-key'
    case 'through':
      return missingFor(rule.rule, known)
    case 'either':
      return missingForAll(rule.rules, known)
    case 'setting':
      return missingForAll([rule.rule, rule.otherwise], known)
  }
}

function missingForAll(rules: readonly Rule[], known: Known): Kind | undefined {
  const missing = rules.map((rule) => missingFor(rule, known))
  return missing.every((one) => one !== undefined) ? missing[0] : undefined
}

/** Every rule of a resource, and where it stands. */
function* rulesOf(resource: Resource): Generator<readonly [string, Rule]> {
  for (const [operation, rule] of Object.entries(resource.access)) if (rule) yield [`access.${operation}`, rule]
  for (const [name, { read, write }] of Object.entries(resource.fields)) {
    if (read) yield [`field "${name}": read`, read]
    if (write) yield [`field "${name}": write`, write]
  }
  for (const side of ['query', 'mutation'] as const) {
    for (const [name, { access, returns }] of Object.entries(resource.graphql[side])) {
      if (access) yield [`graphql.${side}.${name}`, access]
      if (returns === 'self') yield [`graphql.${side}.${name}`, { kind: 'user' }]
    }
  }
}

function* mistakesOf(resource: Resource, known: Known): Generator<string> {
  const at = `${resource.writtenIn}: ${resource.name}`
  const kind = resource.identity?.kind
  for (const needed of kind ? needs[kind] : [])
    if (!known[needed]) yield `${at}: identity: "${kind}" needs another one, and ${nobodyIs(needed)}`
  for (const [where, rule] of rulesOf(resource)) {
    const missing = missingFor(rule, known)
    if (missing) yield `${at}: ${where}: nobody can satisfy this: ${nobodyIs(missing)}`
  }
}

/** One line a mistake, as those of `resource/check.ts`. Empty when there is none. */
export function findIdentityMistakes({ resources, login, session, refreshToken, apiKey }: Catalog): string[] {
  const known: Known = {
    login: login?.resource,
    session: session?.resource,
    'refresh-token': refreshToken?.resource,
    'api-key': apiKey?.resource,
  }
  return [...resources.values()].flatMap((resource) => [...mistakesOf(resource, known)])
}
