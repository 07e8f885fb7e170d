/** Properties that several schemas have alike stand once: the others refer to the first. */
import type { NamedNode, Node } from './node.ts'

/**
 * `create`, `replace` and `update` take most fields in the same words, both pages of a list have the same `data`, and many records show the same
 * user. A reference to a property is as good as the property, for generators of types too (RFC 6901). What is shorter than its reference stays.
 */
export function shareProperties(schemas: Node): Node {
  const places = new Map<string, string>()
  const shared = Object.entries(schemas as Readonly<Record<string, Node>>).map(([schema, node]): NamedNode => {
    const { properties } = node
    if (!properties) return [schema, node]
    const own = Object.entries(properties as Node).map(([name, property]) => {
      const text = JSON.stringify(property)
      const known = places.get(`${name} ${text}`)
      if (known === undefined) places.set(`${name} ${text}`, `#/components/schemas/${schema}/properties/${name}`)
      const isShorter = known !== undefined && known.length + '{"$ref":""}'.length < text.length
      return [name, isShorter ? { $ref: known } : property] as const
    })
    return [schema, { ...node, properties: Object.fromEntries(own) }]
  })
  return Object.fromEntries(shared)
}
