/**
 * The summary field beside each list: `thingsSummary(groupBy: [kind]) { kind count sum { price }
 * }`. The selection names the numbers; all other arguments are REST's parameters, read by the same
 * parser.
 */
import {
  type GraphQLArgumentConfig,
  GraphQLEnumType,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  GraphQLString,
} from 'graphql'
import { nowOf } from '../../base/clock.ts'
import type { GroupKey, MeasureKind, TimeUnit } from '../../operation/measures.ts'
import { groupsOf, measurable, parseSummary, summaryLimits, zoneParameter } from '../../operation/summary.ts'
import { onAllRecords } from '../../operation/visible-fields.ts'
import { perform } from '../../perform/perform.ts'
import { representGroups } from '../../perform/read/summarize.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { Field, Json } from '../../resource/fields/field.ts'
import { argumentNames, measureKinds } from '../../resource/list-style.ts'
import { describeField } from '../../resource/words/describe-operation.ts'
import type { TypeNames } from '../../resource/words/document-names.ts'
import { inSentence, labelOf, typeNameOf } from '../../resource/words/names.ts'
import type { GraphqlContext } from '../context.ts'
import { namesBelow } from '../documents/selection.ts'
import { callerOf, underOf } from '../resolve.ts'
import { type RootField, withoutPath } from '../root.ts'
import { type FilterInputs, parametersOf } from './filter-input.ts'
import type { LeafTypes } from './leaf-types.ts'
import type { FieldArguments } from './list-arguments.ts'
import { behindField, pathsBehind } from './summary-paths.ts'

type Shown = Readonly<Record<string, Json>>
type Config = GraphQLFieldConfig<unknown, GraphqlContext, FieldArguments>

export type SummaryFields = {
  /**
   * The configuration of the list's field besides its guard. Undefined where a summary would have
   * no fields of its own, or the list is a declared one.
   */
  config(root: RootField): Pick<Config, 'type' | 'args' | 'description' | 'resolve' | 'extensions'> | undefined
}

/**
 * `things` → `thingsSummary`, or `things_summary` where a field has that name. Where a page had to
 * take another name, its summary keeps these.
 */
export function summaryNames({ name, target, steps }: RootField): readonly string[] {
  const list = steps.length > 0 ? name : target.resource.plural
  return [`${list}Summary`, `${list}_summary`]
}

/** `createdAt.month` → `createdAt_month`: names have no dots here. */
function graphqlName(name: string): string {
  return name.replace('.', '_')
}

const about: Readonly<Record<MeasureKind, string>> = {
  sum: '0 where no record has a value.',
  average: 'Of the records that have a value; money in whole cents, half a cent away from zero.',
  least: 'Null where no record has a value.',
  most: 'Null where no record has a value.',
}

const timesLook: Readonly<Record<TimeUnit, string>> = {
  hour: '2026-11-23T14',
  day: '2026-11-23',
  week: '2026-W48',
  month: '2026-11',
  quarter: '2026-Q4',
  year: '2026',
}

function groupWords(resource: Resource, { field, unit }: GroupKey): string {
  const grouped = resource.fields[field] as Field
  if (!unit) return describeField(resource, field, grouped)
  const look = grouped.type.inTime?.kind === 'clock' ? timesLook[unit].slice(-2) : timesLook[unit]
  return `The ${unit} of \`${field}\`, such as ${look}.`
}

const zone: GraphQLArgumentConfig = {
  type: GraphQLString,
  description: 'The time zone of groups: Europe/Berlin. UTC by default.',
}

const limit: GraphQLArgumentConfig = {
  type: GraphQLInt,
  description: `The first groups, in the order of sort: ${summaryLimits.groupsMax} unless said, and at most.`,
}
const sort: GraphQLArgumentConfig = {
  type: GraphQLString,
  description:
    'Names of groups, count, or numbers that are selected, each with - before it for descending; a number as "sum.field".',
}

/** The number of groups that the cost limit assumes. */
function recordsOf({ limit }: FieldArguments): number {
  return typeof limit === 'number' && limit >= 1 ? Math.min(limit, summaryLimits.groupsMax) : summaryLimits.groupsMax
}

function makeResolver(root: RootField) {
  const { resource } = root.target
  // biome-ignore lint/complexity/useMaxParams: the executor calls resolvers so
  return async (
    _source: unknown,
    args: FieldArguments,
    context: GraphqlContext,
    info: GraphQLResolveInfo,
  ): Promise<Shown[]> => {
    const { engine } = context
    const admission = engine.policy.admit(callerOf(root, context.principal, { args, context }), root.target)
    const parameters = new Map(parametersOf(resource, withoutPath(root, args)))
    const groups = [...((args.groupBy ?? []) as string[]), ...pathsBehind(info)]
    if (groups.length > 0) parameters.set('group', groups.join(','))
    if (typeof args[zoneParameter] === 'string') parameters.set(zoneParameter, args[zoneParameter])
    for (const kind of measureKinds) {
      const fields = [...namesBelow(info, kind)].filter((name) => !name.startsWith('__'))
      if (fields.length > 0) parameters.set(kind, fields.join(','))
    }
    const { visible, visibleWhere, asking } = admission
    const viewOf = (one: Resource) => engine.policy.view(asking, one)
    const seen = { resource, visible, visibleWhere, viewOf, now: nowOf(engine), tree: args.filter ?? undefined }
    const asked = parseSummary(seen, parameters)
    const operation = { kind: 'summary', resource, under: underOf(root, args), select: null, ...asked } as const
    const result = await perform(engine, engine.policy.permit(admission, operation))
    if (result.kind !== 'summary') throw new Error(`a summary cannot answer with a ${result.kind}`)
    return representGroups(operation, result.groups).map((group) =>
      Object.fromEntries(
        Object.entries(group).flatMap(([name, value]) => [
          [graphqlName(name), value],
          [name, value],
        ]),
      ),
    )
  }
}

type SummaryTypes = {
  readonly type: GraphQLObjectType
  readonly groups: GraphQLEnumType | undefined
  /** Some groups depend on the time zone. */
  readonly isZoned: boolean
}

export function makeSummaryFields(leaves: LeafTypes, filters: FilterInputs, names: TypeNames): SummaryFields {
  const types = new Map<Resource, SummaryTypes>()

  function measureType(resource: Resource, kind: MeasureKind, field: string): GraphQLOutputType {
    if (kind === 'least' || kind === 'most') return leaves.of(resource, field)
    return leaves.scalars[(resource.fields[field] as Field).type.adds?.scalar ?? 'Float']
  }

  function makeTypes(resource: Resource): SummaryTypes {
    const seen = { resource, visible: new Set(resource.fieldNames), visibleWhere: onAllRecords }
    const nameOf = (...more: readonly string[]) =>
      names.of([resource.typeName, 'ListSummary', ...more], `summary of ${resource.name}`)
    const groups = groupsOf(seen)
    const numbers = measureKinds.flatMap((kind) => {
      const fields = measurable(seen, kind)
      if (fields.length === 0) return []
      const type = new GraphQLObjectType({
        name: nameOf(typeNameOf(kind)),
        fields: Object.fromEntries(fields.map((field) => [field, { type: measureType(resource, kind, field) }])),
      })
      return [[kind, { type, description: about[kind] }] as const]
    })
    const values = groups.map(({ name: group, field, unit }) => {
      const type = unit ? GraphQLString : leaves.of(resource, field)
      return [graphqlName(group), { type, description: 'Null also where it is not grouped by.' }] as const
    })
    const type = new GraphQLObjectType({
      name: nameOf(),
      fields: {
        count: { type: new GraphQLNonNull(GraphQLInt) },
        ...Object.fromEntries([...values, ...numbers]),
        ...behindField(resource, leaves, new Set([...values, ...numbers].map(([name]) => name))),
      },
    })
    const entries = groups.map((group) => [
      graphqlName(group.name),
      { value: group.name, description: groupWords(resource, group) },
    ])
    const description = `By what ${inSentence(labelOf(resource.plural))} are grouped.`
    const enumOf = () =>
      new GraphQLEnumType({ name: nameOf('Group'), description, values: Object.fromEntries(entries) })
    const isZoned = groups.some(({ field }) => resource.fields[field]?.type.inTime?.kind === 'moment')
    return { type, groups: groups.length > 0 ? enumOf() : undefined, isZoned }
  }

  function typesOf(resource: Resource) {
    const known = types.get(resource) ?? makeTypes(resource)
    types.set(resource, known)
    return known
  }

  function argumentsOf(resource: Resource): GraphQLFieldConfigArgumentMap {
    const paging: readonly string[] = argumentNames().filter((name) => name !== 'q')
    const own = Object.entries(filters.arguments(resource)).filter(([name]) => !paging.includes(name))
    const { groups, isZoned } = typesOf(resource)
    const by = groups && { groupBy: { type: new GraphQLList(new GraphQLNonNull(groups)) } }
    return { ...by, ...(isZoned && { [zoneParameter]: zone }), sort, limit, ...Object.fromEntries(own) }
  }

  return {
    config(root) {
      const { resource, operation } = root.target
      if (operation !== 'list' || root.narrow.returns !== undefined || root.narrow.where) return undefined
      const { type } = typesOf(resource)
      return {
        type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type))),
        args: argumentsOf(resource),
        description: 'Groups of the records of the list, with numbers about each; without groups, one about all.',
        resolve: makeResolver(root),
        extensions: { records: recordsOf },
      }
    },
  }
}
