/** Access rules as the document shows them: which credentials may be sent. */
import type { CredentialScheme } from '../endpoint/define-route.ts'
import { isOpen } from '../policy/passing.ts'
import type { Json } from '../resource/fields/field.ts'
import { isTable } from '../resource/members.ts'
import type { Place, Rule } from '../resource/rule.ts'
import { type NamedNode, type Node, nodesOf } from './node.ts'

/** The requirements of callers of any kind, and those of programs alone. */
export type Ways = { readonly callers: readonly Node[]; readonly programs: readonly Node[] }

export function waysOf(schemes: readonly CredentialScheme[]): Ways {
  const by = (of: CredentialScheme['of']) => schemes.filter((one) => one.of === of).map(({ name }) => ({ [name]: [] }))
  return { callers: by('callers'), programs: by('programs') }
}

export function schemeNodes(schemes: readonly CredentialScheme[]): Node {
  return nodesOf(schemes.map(({ name, scheme }): NamedNode => [name, scheme]))
}

/** Alternatives: any one of them suffices, and the empty one stands for no credential. */
export function securityOf(rule: Rule, place: Place & { readonly ways: Ways }): readonly Node[] {
  const { callers, programs } = place.ways
  if (rule.type.needsKey(rule, place.settings)) return programs
  return [...(isOpen(rule, place) ? [{}] : []), ...callers, ...programs]
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
