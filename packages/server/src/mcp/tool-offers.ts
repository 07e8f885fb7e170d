/**
 * Describes the API to one caller for the tool `describe`: resources, paths, fields, filters and
 * actions. It leaves out whatever the caller may not do.
 */

import { ApiError } from '../errors.ts'
import { relationOf } from '../operation/expansion.ts'
import { referencesFrom } from '../operation/far/follow-path.ts'
import type { MeasureKind } from '../operation/measures.ts'
import { verbsOf } from '../operation/nested/nested-body.ts'
import { groupsOf, measurable } from '../operation/summary.ts'
import { differenceParameters } from '../operation/versions/difference.ts'
import { isShownByAll } from '../operation/visible-fields.ts'
import type { Engine } from '../perform/engine.ts'
import { bodyNames, mayTry, printCaller, settableFields } from '../policy/permissions.ts'
import type { Admission } from '../policy/policy.ts'
import type { ChildRelation, Resource } from '../resource/catalog.ts'
import { type Field, type Fields, listOnlyOperators, operators } from '../resource/fields/field.ts'
import { givenSchema } from '../resource/fields/nested/object.ts'
import type { Principal } from '../resource/principal.ts'
import { apiPrefix } from '../resource/words/api-prefix.ts'
import { memberBeside } from '../resource/words/reserved-words.ts'
import { type Route, templateOf } from '../rest/route.ts'
import { isReading, type ToolName, toolOf } from './tools.ts'

export type ToolOffer = { readonly tool: ToolName; readonly route: Route }
type SchemaNode = Readonly<Record<string, unknown>>

function isOffered({ policy }: Engine, principal: Principal, { target, steps, upserts }: Route): boolean {
  const above = steps.filter(({ resource }) => resource.access.get)
  const creating = upserts ? [{ ...target, operation: 'create' }] : []
  const targets = [...above.map(({ resource }) => ({ resource, operation: 'get' })), ...creating, target]
  return targets.every((one) => mayTry(policy, principal, one))
}

/** The routes that this caller may use, each with its tool. */
export function toolOffersOf(
  engine: Engine,
  routes: readonly Route[],
  asking: { principal: Principal; writes: boolean },
): ToolOffer[] {
  return routes.flatMap((route) => {
    const tool = toolOf(route)
    if (!tool || route.mount !== apiPrefix || !(asking.writes || isReading(tool))) return []
    return isOffered(engine, asking.principal, route) ? [{ tool, route }] : []
  })
}

function schemaOf(field: Field): SchemaNode {
  const { description } = field
  const schema = { ...(field.type.schema(field) as SchemaNode), ...(description && { description }) }
  const moves = field.type.places ? { bodyTakes: ['first', 'last', { before: 'id' }, { after: 'id' }] } : {}
  const added = { ...schema, ...(field.increment && { updateTakes: { increment: 1 } }), ...moves }
  return field.nullable ? { ...added, nullable: true } : added
}

function fieldsOf(fields: Fields, names: Iterable<string>): SchemaNode {
  return Object.fromEntries([...names].map((name) => [name, schemaOf(fields[name] as Field)]))
}

type OfferContext = { readonly engine: Engine; readonly resource: Resource; readonly admission: Admission }

/** The required and the optional names of a body. */
function bodyOf({ engine, admission }: OfferContext, kind: 'create' | 'update'): SchemaNode {
  const { required, optional } = bodyNames(engine.policy, admission, kind)
  return { ...(required.length > 0 && { required }), optional }
}

/** The children in a body: `{ pages: { create: { optional: ['title'] }, delete: {} } }`. */
function inBodyOf({ engine, resource, admission }: OfferContext): SchemaNode {
  const { policy } = engine
  return Object.fromEntries(
    resource.nestedNames.map((name) => {
      const link = resource.children[name] as ChildRelation
      const verbs = verbsOf(link, 'update').flatMap((verb) => {
        const target = { resource: link.resource, operation: verb, nested: true }
        const own = policy.tryAdmit(admission.asking, target)
        if (!own) return []
        const body = verb === 'delete' ? {} : bodyOf({ engine, resource: link.resource, admission: own }, verb)
        return [[verb, body] as const]
      })
      return [name, Object.fromEntries(verbs)]
    }),
  )
}

function pathsOf(offers: readonly ToolOffer[]): string[] {
  return offers.map(({ tool, route }) => `${tool} ${templateOf(route).slice(apiPrefix.length + 1)}`)
}

/**
 * The caller, and every resource that the caller may use, with the paths of its tools: `{ you: {
 * id, role }, things: ['list things', …] }`. Every list has a summary, which only the description
 * of its resource names.
 */
export function describeAll(
  offers: readonly ToolOffer[],
  { principal, calls }: { readonly principal: Principal; readonly calls: Readonly<Record<string, readonly string[]>> },
): SchemaNode {
  const plain = offers.filter(({ route }) => !route.summarizes)
  const byResource = Map.groupBy(plain, ({ route }) => route.target.resource.slug)
  const resources: Record<string, readonly string[]> = { ...calls }
  for (const [slug, some] of byResource) resources[slug] = [...pathsOf(some), ...(calls[slug] ?? [])]
  return { [memberBeside(resources, 'you')]: printCaller(principal), ...resources }
}

/** The operators of fields: `{ 'eq ne in': 'all', 'gt gte lt lte': ['price'] }`. */
function operatorsOf({ fields }: Resource, names: readonly string[]): SchemaNode {
  const holders = [...operators, ...listOnlyOperators].flatMap((operator) => {
    const own = names.filter((name) => (fields[name] as Field).type.operators.some((one) => one === operator))
    return own.length === 0 ? [] : [{ operator, own }]
  })
  const alike = Map.groupBy(holders, ({ own }) => own.join())
  return Object.fromEntries(
    [...alike.values()].map((some) => {
      const own = some[0]?.own ?? []
      return [some.map(({ operator }) => operator).join(' '), own.length === names.length ? 'all' : own]
    }),
  )
}

/** The references behind which lists sort and summaries group: `reference.field`. */
function behindOf({ engine, resource, admission }: OfferContext): SchemaNode {
  const { visible, visibleWhere, asking } = admission
  const viewOf = (one: Resource) => engine.policy.view(asking, one)
  const through = referencesFrom({ resource, visible, visibleWhere, viewOf })
  return through.length === 0 ? {} : { through }
}

/** The parameters of a list. */
function listingOf(shown: OfferContext): SchemaNode {
  const { resource, admission } = shown
  const { visible } = admission
  const seen = (names: Iterable<string>) => [...names].filter((name) => visible.has(name))
  const sorting = [...resource.list.sortable].filter((name) => isShownByAll(admission, name))
  const { filterable, filters, search, style } = resource.list
  const fields = seen(filterable)
  const named = Object.entries(filters).flatMap(([name, { field }]) => (visible.has(field) ? [name] : []))
  return {
    sort: style === 'cursor' ? [] : sorting,
    ...(style !== 'cursor' && behindOf(shown)),
    filters: [...new Set([...named, ...fields])],
    operators: operatorsOf(resource, fields),
    q: seen(search),
  }
}

/** The fields that a summary groups by, and those that it computes numbers of. */
function summaryOf(shown: OfferContext): SchemaNode {
  const { resource } = shown
  const { visible, visibleWhere } = shown.admission
  const seen = { resource, visible, visibleWhere }
  const measured = (kind: MeasureKind) => measurable(seen, kind)
  return {
    group: groupsOf(seen).map(({ name }) => name),
    ...behindOf(shown),
    'sum average': measured('sum'),
    'least most': measured('least'),
  }
}

function actionsOf({ resource }: OfferContext, names: readonly string[]): SchemaNode {
  return Object.fromEntries(
    names.map((name) => {
      const { summary, description, input = {}, output } = resource.actions[name] ?? {}
      const about = [summary, description].filter((one) => one !== undefined).join(' ')
      const answer = output && { output: givenSchema(output) }
      return [name, { ...(about && { about }), input: fieldsOf(input, Object.keys(input)), ...answer }]
    }),
  )
}

/** Describes one resource in full. Throws `not-found` where the caller may do nothing with it. */
export function describeOne(
  engine: Engine,
  slug: string,
  { offers, principal }: { offers: readonly ToolOffer[]; principal: Principal },
): SchemaNode {
  const own = offers.filter(({ route }) => route.target.resource.slug === slug)
  const [first] = own
  if (!first) throw new ApiError('not-found', 'No such resource; describe without one lists them')
  const { resource } = first.route.target
  const admission = engine.policy.admit(principal, first.route.target)
  const { visible } = admission
  const shown: OfferContext = { engine, resource, admission }
  const can = (tool: ToolName) => own.some((offer) => offer.tool === tool)
  const kinds = (['create', 'update'] as const).filter((kind) => can(kind) || (kind === 'create' && can('upsert')))
  const sent = kinds.flatMap((kind) => settableFields(engine.policy, admission, kind).map(([name]) => name))
  const relations = Object.keys(resource.relations).filter((name) => relationOf({ resource, visible }, name))
  const acts = own.filter(({ tool }) => tool === 'act').map(({ route }) => route.target.operation)
  return {
    ...(resource.description && { description: resource.description }),
    paths: pathsOf(own),
    fields: fieldsOf(resource.fields, new Set([...visible, ...sent])),
    expand: [...relations, ...(resource.can ? [resource.can.name] : [])],
    ...(can('list') && { list: listingOf(shown) }),
    ...(own.some(({ route }) => route.summarizes) && { summary: summaryOf(shown) }),
    ...(own.some(({ route }) => route.compares) && { difference: { query: differenceParameters } }),
    ...((can('create') || can('upsert')) && { create: bodyOf(shown, 'create') }),
    ...(can('update') && { update: bodyOf(shown, 'update') }),
    ...(can('upsert') && { upsert: { on: [...resource.upsert.keys()] } }),
    ...(kinds.length > 0 && resource.nestedNames.length > 0 && { inBody: inBodyOf(shown) }),
    ...(acts.length > 0 && { actions: actionsOf(shown, acts) }),
  }
}
