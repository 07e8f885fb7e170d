/** Converts access rules to security requirements: the credentials that a request may send. */
import type { CredentialScheme } from '../endpoint/define-route.ts'
import { isOpen } from '../policy/passing-roles.ts'
import type { Json } from '../resource/fields/field.ts'
import { isTable } from '../resource/members.ts'
import type { Rule, RuleScope } from '../resource/rule.ts'
import { type NamedOpenapiNode, nodesOf, type OpenapiNode } from './openapi-node.ts'

/** The requirements of any caller, and those of programs alone. */
export type Ways = { readonly callers: readonly OpenapiNode[]; readonly programs: readonly OpenapiNode[] }

export function waysOf(schemes: readonly CredentialScheme[]): Ways {
  const by = (of: CredentialScheme['of']) => schemes.filter((one) => one.of === of).map(({ name }) => ({ [name]: [] }))
  return { callers: by('callers'), programs: by('programs') }
}

export function schemeNodes(schemes: readonly CredentialScheme[]): OpenapiNode {
  return nodesOf(schemes.map(({ name, scheme }): NamedOpenapiNode => [name, scheme]))
}

/** Alternatives: any one of them suffices, and the empty one stands for no credential. */
export function securityOf(rule: Rule, place: RuleScope & { readonly ways: Ways }): readonly OpenapiNode[] {
  const { callers, programs } = place.ways
  if (rule.type.needsKey(rule, place.settings)) return programs
  return [...(isOpen(rule, place) ? [{}] : []), ...callers, ...programs]
}

const securityIn = (operation: Json): Json | undefined =>
  isTable(operation) ? (operation.security as Json) : undefined

/** The requirement of most operations, which stands once at the head of the document. */
export function usualSecurity(items: readonly (readonly [path: string, item: OpenapiNode])[]): Json {
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

/** The path item without the requirement at the head. */
export function withoutUsual(item: OpenapiNode, usual: Json): OpenapiNode {
  const text = JSON.stringify(usual)
  const entries = Object.entries(item).map(([key, operation]) => {
    if (JSON.stringify(securityIn(operation)) !== text) return [key, operation] as const
    const { security: _usual, ...rest } = operation as OpenapiNode
    return [key, rest] as const
  })
  return Object.fromEntries(entries)
}
