/**
 * Declarations → root fields: every query and mutation that the resources have, as data. The counterpart of REST's routes: the same
 * targets and the same steps, with path parameters as arguments. The fields get their names here (docs/decisions/0020).
 */
import { StartError } from '../errors.ts'
import type { Target } from '../policy/rule-of.ts'
import type { Catalog, ChildLink, Resource } from '../resource/catalog.ts'
import type { GraphqlField } from '../resource/define.ts'
import { typeNameOf } from '../resource/names.ts'
import { crudKinds, factsOf } from '../resource/operation-kind.ts'

/** A record above the target. `argument` names the argument with its id; a parent's single record has none and is found by its field `by`. */
export type RootStep = { readonly resource: Resource; readonly argument?: string; readonly by?: string }

export type RootField = {
  readonly side: 'query' | 'mutation'
  readonly name: string
  readonly target: Target
  readonly steps: readonly RootStep[]
  /** The target's field that refers to the record of the last step. */
  readonly by: string | undefined
  /** Whether an argument `id` names the record. */
  readonly hasId: boolean
  /** What the declaration narrows or promises. */
  readonly narrow: Pick<GraphqlField, 'where' | 'limit' | 'returns' | 'nonNull'>
}

type Place = Pick<RootField, 'steps' | 'by'> & { readonly nested: boolean }

const top: Place = { steps: [], by: undefined, nested: false }
/** The schema has `get` before `list`. */
const shownKinds = ['get', ...crudKinds.filter((kind) => kind !== 'get')] as const

function nameOf(resource: Resource, operation: string): string {
  if (operation === 'get') return resource.name
  if (operation === 'list') return resource.plural
  return `${operation}${resource.typeName}`
}

/** `hasId`: whether records have an id of their own here. */
function fieldOf(resource: Resource, operation: string, { hasId, ...place }: Place & { hasId: boolean }): RootField {
  return {
    side: factsOf(operation).reads ? 'query' : 'mutation',
    name: nameOf(resource, operation),
    target: { resource, operation, nested: place.nested },
    steps: place.steps,
    by: place.by,
    hasId: hasId && factsOf(operation).on === 'record',
    narrow: {},
  }
}

function singleFields(link: ChildLink, place: Place): RootField[] {
  const { resource } = link
  const own = link.operations.filter((operation) => factsOf(operation).on === 'record')
  const below: Place = { ...place, steps: [...place.steps, { resource, by: link.by }] }
  return [
    ...own.map((operation) => fieldOf(resource, operation, { ...place, hasId: false })),
    ...resource.actionNames.map((operation) => fieldOf(resource, operation, { ...place, hasId: false })),
    ...childFields(resource, below),
  ]
}

/** The fields below a parent: the child's list, and what the child's own path does not offer already. */
function childFields(parent: Resource, place: Place): RootField[] {
  return Object.entries(parent.children).flatMap(([name, link]) => {
    const below: Place = { ...place, by: link.by, nested: true }
    if (link.single) return singleFields(link, below)
    const { resource } = link
    const operations = link.operations.filter(
      (operation) => operation === 'list' || !resource.path || (operation === 'create' && resource.madeUnderParent),
    )
    return operations.map((operation): RootField => {
      const field = fieldOf(resource, operation, { ...below, hasId: true })
      return operation === 'list' ? { ...field, name: `${parent.name}${typeNameOf(name)}` } : field
    })
  })
}

function ownFields(resource: Resource): RootField[] {
  if (resource.path === undefined) return []
  const kinds = shownKinds.filter((kind) => resource.access[kind] && !(kind === 'create' && resource.madeUnderParent))
  return [...kinds, ...resource.actionNames].map((operation) => fieldOf(resource, operation, { ...top, hasId: true }))
}

function declaredFields(resource: Resource): RootField[] {
  return (['query', 'mutation'] as const).flatMap((side) =>
    Object.entries(resource.graphql[side]).map(
      ([name, { operation, access, where, limit, returns, nonNull }]): RootField => {
        const field = fieldOf(resource, operation, { ...top, hasId: returns !== 'self' })
        return { ...field, side, name, target: { ...field.target, access }, narrow: { where, limit, returns, nonNull } }
      },
    ),
  )
}

/** Another name for a field whose own name is taken; undefined when the field gives way to the declared one. */
function otherName({ name, target, steps }: RootField, declared: ReadonlySet<string>): string | undefined {
  if (steps.length > 0) return `${name}Of${steps.map((step) => step.resource.typeName).join('')}`
  if (target.operation === 'list') return `${name}Page`
  return declared.has(name) ? undefined : name
}

/**
 * Every root field. A declared field keeps its name; a generated list of that name becomes `<plural>Page`, other generated fields give
 * way. Throws `StartError` when two fields still have the same name.
 */
export function makeRootFields(catalog: Catalog): RootField[] {
  const resources = [...catalog.resources.values()]
  const declared = resources.flatMap(declaredFields)
  const declaredNames = new Set(declared.map((field) => field.name))
  const fields = new Map<string, RootField>()
  const add = (field: RootField) => {
    if (fields.has(field.name))
      throw new StartError(`${field.target.resource.writtenIn}: graphql: two fields are called "${field.name}"`)
    fields.set(field.name, field)
  }
  for (const field of declared) add(field)
  const below = (resource: Resource) =>
    childFields(resource, { steps: [{ resource, argument: `${resource.name}Id` }], by: undefined, nested: true })
  const generated = [
    ...resources.flatMap(ownFields),
    ...resources.filter((one) => one.path !== undefined).flatMap(below),
  ]
  for (const field of generated) {
    const name = fields.has(field.name) ? otherName(field, declaredNames) : field.name
    if (name !== undefined) add({ ...field, name })
  }
  return [...fields.values()]
}
