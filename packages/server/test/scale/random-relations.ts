/**
 * Random parameters of lists that combine fields: filters as trees, relations, summaries, and
 * GraphQL with children.
 */
import type { Resource } from '../../src/resource/catalog.ts'
import type { Field } from '../../src/resource/fields/field.ts'
import type { Known } from './random-requests.ts'

type Parts = {
  readonly pick: <T>(list: readonly T[]) => T
  readonly chance: (share: number) => boolean
  readonly someValue: (field: Field, known: Known) => unknown
}
type Tree = { readonly [name: string]: unknown }

export function makeRelated({ pick, chance, someValue }: Parts) {
  const some = <T>(most: number, make: () => T): T[] =>
    Array.from({ length: 1 + Math.floor(pick([0, 0.4, 0.99]) * most) }, make)
  const shown = ({ storedNames, fields }: Resource) => storedNames.filter((name) => !fields[name]?.hidden)
  const relationsOf = ({ relations }: Resource) => Object.entries(relations)

  /** `{"path":"a.b","gte":1}` */
  const ofMember = (): Tree => {
    const operator = pick(['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'exists'])
    const value = () => pick([1, 0.1, 2.5, 'x', 'Crème', '', true, false, null, 1e21, -0.0])
    const path = pick(['a', 'b', 'a.b', 'a.b.c', 'a.0', 'a.1', 'nothing', ''])
    return { path, [operator]: operator === 'in' ? some(3, value) : operator === 'exists' ? chance(0.5) : value() }
  }

  function comparisons(whole: Field, known: Known): Tree {
    if (whole.type.hasMembers && chance(0.8)) return ofMember()
    const { name, item } = whole.type
    const field = name === 'list' ? (item as Field) : whole
    const operator = chance(0.95) ? pick(whole.type.operators) : 'like'
    const value = () => someValue(field, known)
    if (operator === 'in' || operator === 'overlaps') return { [operator]: some(3, value) }
    return { [operator]: operator === 'null' || operator === 'empty' ? chance(0.5) : value() }
  }

  /** `{"or":[{"edition":{"price":{"gte":1}}},{"stars":{"in":[1,2]}}]}` */
  function tree(resource: Resource, known: Known, depth = 3): Tree {
    const below = () => tree(resource, known, depth - 1)
    if (depth > 0 && chance(0.3)) return pick([{ and: some(2, below) }, { or: some(2, below) }, { not: below() }])
    const references = relationsOf(resource).filter(([, { kind }]) => kind === 'reference' || kind === 'one')
    if (depth > 0 && references.length > 0 && chance(0.4)) {
      const [name, link] = pick(references)
      return { [name]: tree(link.resource, known, depth - 1) }
    }
    const linked = Object.entries(resource.links)
    if (depth > 0 && linked.length > 0 && chance(0.2)) {
      const [name, { target }] = pick(linked)
      return { [name]: { [pick(['some', 'none', 'every'])]: tree(target, known, depth - 1) } }
    }
    const names = [...resource.list.filterable, ...shown(resource)]
    if (names.length === 0) return {}
    const name = pick(names)
    const field = resource.fields[name]
    const branch = resource.branches[name]
    if (field && branch && chance(0.3)) return { [name]: { within: someValue(field, known) } }
    return { [name]: field ? comparisons(field, known) : { eq: 1 } }
  }

  function path(resource: Resource, depth: number): string {
    const relations = relationsOf(resource)
    if (relations.length === 0) return pick(['none', resource.idField])
    const [name, link] = pick(relations)
    const isMany = link.kind === 'children' || link.kind === 'embedded' || link.kind === 'links'
    const options = chance(0.3)
      ? `(${pick(['limit:1', 'limit:2', 'limit:0', `fields:${pick(link.resource.fieldNames)}`])})`
      : ''
    const own = `${name}${isMany || chance(0.1) ? options : ''}`
    return depth > 1 && chance(0.5) ? `${own}.${path(link.resource, depth - 1)}` : own
  }
  const expand = (resource: Resource) => some(2, () => path(resource, chance(0.05) ? 4 : 3)).join()
  const fields = (resource: Resource) =>
    some(3, () => {
      const relation = chance(0.4) ? relationsOf(resource)[0] : undefined
      return relation ? `${relation[0]}.${pick(relation[1].resource.fieldNames)}` : pick(resource.fieldNames)
    }).join()

  /** `group=subject,createdAt.month&sum=price&sort=-count` */
  function summary(resource: Resource): string {
    const name = () => (chance(0.05) ? 'nothing' : pick(shown(resource)))
    const ofType = (...types: string[]) =>
      shown(resource).filter((one) => types.includes(resource.fields[one]?.type.name ?? ''))
    const numbers = ofType('integer', 'money', 'bigint', 'decimal', 'float')
    const times = ofType('timestamp', 'date')
    const group = () =>
      times.length > 0 && chance(0.4)
        ? `${pick(times)}.${pick(['hour', 'day', 'week', 'month', 'quarter', 'year', 'minute'])}`
        : name()
    const behind = () => (chance(0.15) ? farPath(resource) : group())
    const parts = chance(0.8) ? [`group=${[...new Set(some(2, behind))].join()}`] : []
    const measures: string[] = []
    for (const kind of ['sum', 'average', 'least', 'most'])
      if (numbers.length > 0 && chance(0.4)) {
        const field = kind.length < 6 && times.length > 0 && chance(0.3) ? pick(times) : pick(numbers)
        measures.push(`${kind}.${field}`)
        parts.push(`${kind}=${field}`)
      }
    if (chance(0.3)) parts.push(`_tz=${pick(['Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns', 'UTC', 'Mars'])}`)
    if (chance(0.4)) parts.push(`sort=${pick(['', '-'])}${pick(['count', ...measures])}`)
    if (chance(0.2)) parts.push(`limit=${pick(['1', '2', '1000', '0'])}`)
    return parts.join('&')
  }

  /** `edition.author.name`: a field behind references, with a unit where it is a time. */
  function farPath(resource: Resource, depth = 3): string {
    const references = relationsOf(resource).filter(([, { kind }]) => kind === 'reference')
    if (references.length === 0 || depth === 0) {
      const name = pick(shown(resource))
      return resource.fields[name]?.type.inTime && chance(0.6) ? `${name}.${pick(['hour', 'month', 'week'])}` : name
    }
    const [name, link] = pick(references)
    return `${name}.${farPath(link.resource, chance(0.6) ? 0 : depth - 1)}`
  }

  function selection(resource: Resource, depth: number): string {
    const own = shown(resource).join(' ')
    const below = relationsOf(resource)
      .filter(() => depth > 0 && chance(0.5))
      .map(([name, link]) => {
        const options =
          link.kind === 'links'
            ? pick(['', '(limit: 2)'])
            : link.kind === 'children'
              ? pick(['', '(limit: 2)', `(limit: 1, sort: "-${link.resource.idField}")`])
              : ''
        return `${name}${options} { ${selection(link.resource, depth - 1)} }`
      })
    return [own, ...below].join(' ')
  }

  /** The body of a request to `/graphql`. */
  function graphql(resource: Resource, known: Known): string {
    const { plural, typeName, list } = resource
    const sort = list.sortable.size > 0 && chance(0.5) ? `, sort: "${pick(['', '-'])}${pick([...list.sortable])}"` : ''
    const query = `query ($filter: ${typeName}Filter) { ${plural}(filter: $filter, limit: 3${sort}) { data { ${selection(resource, 2)} } } }`
    return JSON.stringify({ query, variables: chance(0.6) ? { filter: tree(resource, known) } : {} })
  }

  return { tree, expand, fields, summary, graphql, farPath }
}
