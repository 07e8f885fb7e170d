/** Properties that several schemas have alike stand once: the others refer to the first. */
import type { NamedNode, Node } from './node.ts'

/**
 * `create`, `replace` and `update` take most fields in the same words, and both pages of a list have the same `data`. A reference to a property is
 * as good as the property, for generators of types too (RFC 6901). What is shorter than its reference stays.
 */
export function shareProperties(schemas: readonly NamedNode[]): readonly NamedNode[] {
  const places = new Map<string, string>()
  return schemas.map(([schema, node]) => {
    const { properties } = node
    if (!properties) return [schema, node]
    const shared = Object.entries(properties as Node).map(([name, property]): NamedNode => {
      const text = JSON.stringify(property)
      const known = places.get(`${name} ${text}`)
      const place = `#/components/schemas/${schema}/properties/${name}`
      if (known === undefined) places.set(`${name} ${text}`, place)
      const isShorter = known !== undefined && known.length + '{"$ref":""}'.length < text.length
      return [name, isShorter ? { $ref: known } : (property as Node)]
    })
    return [schema, { ...node, properties: Object.fromEntries(shared) }]
  })
}
