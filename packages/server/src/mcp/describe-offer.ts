/** What there is for one caller: resources, their paths, fields, filters and actions. What the caller may not do is not there. */
import { ApiError } from '../errors.ts'
import type { Engine } from '../perform/engine.ts'
import type { Admission } from '../policy/policy.ts'
import type { Field, Fields } from '../resource/fields/field.ts'
import { isRequired, isSettable } from '../resource/fields/field-facts.ts'
import type { Principal } from '../resource/principal.ts'
import { apiPrefix, type Route, templateOf } from '../rest/route.ts'
import { isReading, type ToolName, toolOf } from './tools.ts'

export type Offer = { readonly tool: ToolName; readonly route: Route }
type Node = Readonly<Record<string, unknown>>

function isAdmitted({ policy }: Engine, principal: Principal, { target, steps }: Route): boolean {
  try {
    for (const { resource } of steps) if (resource.access.get) policy.admit(principal, { resource, operation: 'get' })
    policy.admit(principal, target)
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

/** The routes that this caller may try, each with its tool. */
export function offersOf(
  engine: Engine,
  routes: readonly Route[],
  asking: { principal: Principal; writes: boolean },
): Offer[] {
  return routes.flatMap((route) => {
    const tool = toolOf(route)
    if (!tool || route.mount !== apiPrefix || !(asking.writes || isReading(tool))) return []
    return isAdmitted(engine, asking.principal, route) ? [{ tool, route }] : []
  })
}

function schemaOf(field: Field): Node {
  const schema = field.type.schema(field) as Node
  return field.nullable ? { ...schema, nullable: true } : schema
}

function fieldsOf(fields: Fields, names: Iterable<string>): Node {
  return Object.fromEntries([...names].map((name) => [name, schemaOf(fields[name] as Field)]))
}

/** What may be sent: the names that must be there, and those that may. A field that the caller may not read does not exist in bodies either. */
function bodyOf({ policy }: Engine, kind: 'create' | 'update', { target, principal, visible }: Admission): Node {
  const { resource } = target
  const guarded = policy.guardedFrom(principal, resource)
  const fields = Object.entries(resource.fields).filter(
    ([name, field]) =>
      isSettable(field, kind) && !field.virtual && !guarded.has(name) && (!field.read || visible.has(name)),
  )
  return {
    required: fields.filter(([, field]) => isRequired(field, kind)).map(([name]) => name),
    fields: Object.fromEntries(fields.map(([name, field]) => [name, schemaOf(field)])),
  }
}

function pathsOf(offers: readonly Offer[]): string[] {
  return offers.map(({ tool, route }) => `${tool} ${templateOf(route).slice(apiPrefix.length + 1)}`)
}

/** Every resource of which the caller may do anything, with the paths of its tools: `{ things: ['list things', …] }`. */
export function describeAll(offers: readonly Offer[]): Node {
  const byResource = Map.groupBy(offers, ({ route }) => route.target.resource.slug)
  return Object.fromEntries([...byResource].map(([slug, some]) => [slug, pathsOf(some)]))
}

/** One resource in full. Throws `not-found` where the caller may do nothing with it. */
export function describeOne(
  engine: Engine,
  slug: string,
  { offers, principal }: { offers: readonly Offer[]; principal: Principal },
): Node {
  const own = offers.filter(({ route }) => route.target.resource.slug === slug)
  const resource = own[0]?.route.target.resource
  if (!resource) throw new ApiError('not-found', 'No such resource; describe without one lists them')
  const admission = engine.policy.admit(principal, (own[0] as Offer).route.target)
  const { visible } = admission
  const can = (tool: ToolName) => own.some((offer) => offer.tool === tool)
  const seen = (names: Iterable<string>) => [...names].filter((name) => visible.has(name))
  const { sortable, filterable, filters, search, style } = resource.list
  const inputs = own.filter(({ tool }) => tool === 'act').map(({ route }) => route.target.operation)
  return {
    paths: pathsOf(own),
    fields: fieldsOf(resource.fields, visible),
    ...(can('list') && {
      list: {
        sort: style === 'cursor' ? [] : seen(sortable),
        filters: [...Object.keys(filters), ...seen(filterable)],
        q: seen(search),
      },
    }),
    ...(can('create') && { create: bodyOf(engine, 'create', admission) }),
    ...(can('update') && { update: bodyOf(engine, 'update', admission) }),
    ...(inputs.length > 0 && {
      actions: Object.fromEntries(
        inputs.map((name) => {
          const { summary, input = {} } = resource.actions[name] ?? {}
          return [name, { ...(summary && { summary }), input: fieldsOf(input, Object.keys(input)) }]
        }),
      ),
    }),
  }
}
