/** The components that something refers to, directly or by way of others. The makers of components need not know who uses them. */
import { isTable } from '../resource/members.ts'
import type { Node } from './node.ts'

/** Calls back with each `$ref` within. */
function eachReference(node: unknown, found: (section: string, name: string) => void): void {
  if (Array.isArray(node)) for (const one of node) eachReference(one, found)
  else if (isTable(node)) {
    for (const [key, value] of Object.entries(node)) {
      const [section, name] = key === '$ref' && typeof value === 'string' ? value.split('/').slice(2) : []
      if (section !== undefined && name !== undefined) found(section, name)
      else eachReference(value, found)
    }
  }
}

/** Security schemes stay: they are named, not referred to. */
export function usedComponents(document: object, { securitySchemes, ...components }: Node): Node {
  const used = new Map<string, Set<string>>(Object.keys(components).map((section) => [section, new Set()]))
  const note = (section: string, name: string): void => {
    const known = used.get(section)
    if (!known || known.has(name)) return
    known.add(name)
    eachReference((components[section] as Node)[name], note)
  }
  eachReference(document, note)
  const kept = Object.entries(components).map(([section, nodes]) => {
    const entries = Object.entries(nodes as Node).filter(([name]) => used.get(section)?.has(name))
    return [section, Object.fromEntries(entries)] as const
  })
  return { ...Object.fromEntries(kept), ...(securitySchemes ? { securitySchemes } : {}) }
}
