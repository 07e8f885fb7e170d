/**
 * The kinds of callers of an application. Each has a principal that stands for all of its kind, in
 * tables of permissions and in comparisons of declarations.
 */
import type { CallerFacts } from '../resource/caller-facts.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import { anonymous, type Principal, type UserPrincipal } from '../resource/principal.ts'
import type { Rule, ServiceSettings } from '../resource/rule.ts'

/** An application in one state of its declarations. */
export type JudgedApplication = { readonly catalog: Catalog; readonly settings: ServiceSettings }
export type CallerKind = { readonly name: string; readonly principal: Principal }

/** Stands for any one caller: equal rules make equal conditions of it. */
const someone: Pick<UserPrincipal, 'kind' | 'userId' | 'scopes'> = { kind: 'user', userId: '<caller>', scopes: null }

/** Every fact of a caller that a rule of either side names, as a text of its own. */
function factsOfCallers(sides: readonly JudgedApplication[]): Pick<UserPrincipal, 'user' | 'claims'> {
  const named = (kind: 'field' | 'claim') =>
    Object.fromEntries(sides.flatMap((side) => namesOf(side, kind)).map((name) => [name, `<${kind} ${name}>`]))
  return { user: named('field'), claims: named('claim') }
}

/** The facts of callers by which rules judge. */
function factsIn(side: JudgedApplication): CallerFacts {
  return [...side.catalog.resources.values()].flatMap((resource) =>
    rulesOf(resource).flatMap((rule) => rule.type.judgesBy(rule, { ...side, resource })),
  )
}

function namesOf(side: JudgedApplication, kind: 'field' | 'claim'): readonly string[] {
  const start = `${kind}:`
  return factsIn(side)
    .filter((fact) => fact.startsWith(start))
    .map((fact) => fact.slice(start.length))
}

function rulesOf({ access, accessAfter, fields }: Resource): readonly Rule[] {
  const ofFields = Object.values(fields).flatMap(({ read, write }) => [read, write])
  return [...Object.values(access), ...Object.values(accessAfter), ...ofFields].filter((rule) => rule !== undefined)
}

/**
 * Callers without a credential, each role, and each role of members, of one application or of
 * several states of it. Where a rule asks for a key, each role stands there by key, too.
 */
export function callerKinds(sides: readonly JudgedApplication[]): readonly CallerKind[] {
  const roles = [...new Set(sides.flatMap(({ catalog }) => catalog.roles.names))]
  const facts = factsOfCallers(sides)
  const hasKeys = sides.some((side) => factsIn(side).includes('key'))
  const by = (role: string, via: 'token' | 'key') => ({ ...someone, ...facts, role, via })
  const [usual = ''] = roles
  const ofMembers = sides.flatMap(({ catalog }) =>
    [...catalog.memberTables].flatMap(([of, table]) => table.roles.names.map((role) => ({ of, role }))),
  )
  const members = new Map(ofMembers.map((one) => [`${one.role} of ${one.of}`, one]))
  return [
    { name: 'anonymous', principal: anonymous },
    ...roles.map((role) => ({ name: role, principal: by(role, 'token') })),
    ...[...members].map(([name, { of, role }]) => ({
      name,
      principal: { ...by(usual, 'token'), memberships: { [of]: [{ id: `<${of}>`, role }] } },
    })),
    ...(hasKeys ? roles.map((role) => ({ name: `${role} by key`, principal: by(role, 'key') })) : []),
  ]
}
