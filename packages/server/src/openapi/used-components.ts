/**
 * Removes from the OpenAPI document the components that nothing refers to, directly or through
 * others. Puts a response, parameter or header that is used once in its place of use. So code that
 * makes components need not know who uses them.
 */
import { isTable } from '../resource/members.ts'
import type { OpenapiNode } from './openapi-node.ts'

/** Schemas stay components even then: type generators name their types after them. */
const placedWhereUsedOnce = ['responses', 'parameters', 'headers']

type ComponentKey = readonly [section: string, name: string]

/**
 * `{ $ref: '#/components/responses/Made' }` → `['responses', 'Made']`, also for a part of a
 * component.
 */
function placeOf(node: unknown): ComponentKey | undefined {
  const reference = isTable(node) ? node.$ref : undefined
  const [section, name] = typeof reference === 'string' ? reference.split('/').slice(2) : []
  return section !== undefined && name !== undefined ? [section, name] : undefined
}

/** Calls back with each `$ref` inside. */
function eachReference(node: unknown, found: (place: ComponentKey) => void): void {
  const place = placeOf(node)
  if (place) found(place)
  if (Array.isArray(node)) for (const one of node) eachReference(one, found)
  else if (isTable(node)) for (const one of Object.values(node)) eachReference(one, found)
}

function replaced<T>(node: T, by: (place: ComponentKey) => unknown): T {
  const place = placeOf(node)
  const other = place && by(place)
  if (other !== undefined) return replaced(other, by) as T
  if (Array.isArray(node)) return node.map((one) => replaced(one, by)) as T
  if (!isTable(node)) return node
  return Object.fromEntries(Object.entries(node).map(([key, one]) => [key, replaced(one, by)])) as T
}

/**
 * The document with the components that it uses. A response, parameter or header with one reference
 * is inlined: a name saves bytes from the second use on. Security schemes stay, because
 * requirements use their names.
 */
export function withComponents(document: OpenapiNode, { securitySchemes, ...components }: OpenapiNode): OpenapiNode {
  const uses = new Map<string, number>()
  const find = ([section, name]: ComponentKey) => (components[section] as OpenapiNode | undefined)?.[name]
  const note = (place: ComponentKey): void => {
    const key = place.join('/')
    uses.set(key, (uses.get(key) ?? 0) + 1)
    if (uses.get(key) === 1) eachReference(find(place), note)
  }
  eachReference(document, note)
  const isPlaced = (place: ComponentKey) => placedWhereUsedOnce.includes(place[0]) && uses.get(place.join('/')) === 1
  const kept = Object.entries(components).map(([section, nodes]) => {
    const entries = Object.entries(nodes as OpenapiNode).filter(
      ([name]) => uses.has(`${section}/${name}`) && !isPlaced([section, name]),
    )
    return [section, Object.fromEntries(entries)] as const
  })
  const used = { ...Object.fromEntries(kept), ...(securitySchemes ? { securitySchemes } : {}) }
  return replaced({ ...document, components: used }, (place) => (isPlaced(place) ? find(place) : undefined))
}
