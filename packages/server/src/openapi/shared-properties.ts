/**
 * Moves properties that several schemas share into components. References into another schema
 * (`…/Product/properties/name`) would suffice for validators. But type generators (hey-api, orval)
 * resolve only references to components.
 */
import { typeNameOf } from '../resource/words/names.ts'
import { type NamedOpenapiNode, nodesOf, type OpenapiNode, refTo } from './openapi-node.ts'

type SharedProperty = { readonly property: string; readonly node: OpenapiNode; readonly schemas: string[] }

const textOf = (property: string, node: OpenapiNode) => `${property} ${JSON.stringify(node)}`

/**
 * Write-only properties are not shared: hey-api makes two types of a schema, and the one for
 * reading would have a broken reference. Nor are deprecated ones, because generators mark only
 * properties as deprecated.
 */
function isSharable({ $ref, writeOnly, deprecated }: OpenapiNode): boolean {
  return $ref === undefined && writeOnly !== true && deprecated !== true
}

/** The words that all names begin with: `ProductCreate`, `ProductUpdate` → `Product`. */
function commonWords(names: readonly string[]): string {
  const [first = [], ...others] = names.map((name) => name.split(/(?=[A-Z])/))
  const end = first.findIndex((word, i) => others.some((words) => words[i] !== word))
  return first.slice(0, end === -1 ? first.length : end).join('')
}

/** `ProductName` is shared by the bodies of one resource, `AnyId` by several resources. */
function nameOf({ property, schemas }: SharedProperty, isTaken: (name: string) => boolean): string {
  let name = `${commonWords(schemas) || 'Any'}${typeNameOf(property.replace(/^_+/, ''))}`
  while (isTaken(name)) name += 'Field'
  return name
}

function isShorter({ node, schemas }: SharedProperty, name: string): boolean {
  const length = JSON.stringify(node).length
  const reference = JSON.stringify(refTo('schemas', name)).length
  return length + name.length + '"":,'.length + schemas.length * reference < schemas.length * length
}

function propertiesOf(node: OpenapiNode): readonly NamedOpenapiNode[] {
  return Object.entries((node.properties ?? {}) as Readonly<Record<string, OpenapiNode>>)
}

/** The schemas, with a component for each property where a reference is shorter than its copies. */
export function shareProperties(schemas: OpenapiNode): OpenapiNode {
  const all = Object.entries(schemas as Readonly<Record<string, OpenapiNode>>)
  const found = new Map<string, SharedProperty>()
  for (const [schema, node] of all) {
    for (const [property, one] of propertiesOf(node).filter(([, one]) => isSharable(one))) {
      const text = textOf(property, one)
      const known = found.get(text) ?? { property, node: one, schemas: [] }
      known.schemas.push(schema)
      found.set(text, known)
    }
  }
  const components = new Map<string, OpenapiNode>()
  const names = new Map<string, string>()
  for (const [text, shared] of found) {
    const name = nameOf(shared, (one) => Object.hasOwn(schemas, one) || components.has(one))
    if (!isShorter(shared, name)) continue
    components.set(name, shared.node)
    names.set(text, name)
  }
  const referring = all.map(([schema, node]): NamedOpenapiNode => {
    if (!node.properties) return [schema, node]
    const properties = propertiesOf(node).map(([property, one]): NamedOpenapiNode => {
      const name = names.get(textOf(property, one))
      return [property, name === undefined ? one : refTo('schemas', name)]
    })
    return [schema, { ...node, properties: nodesOf(properties) }]
  })
  return { ...nodesOf(referring), ...Object.fromEntries(components) }
}
