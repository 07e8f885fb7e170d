/** Properties that several schemas of a resource have stand once: the others refer to the first. */
import type { NamedNode, Node } from './node.ts'

/**
 * `create`, `replace` and `update` take most fields in the same words. A reference to a property is as good as the property (RFC 6901), for
 * generators of types too, and a document is a third smaller there. What is shorter than its reference stays.
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
