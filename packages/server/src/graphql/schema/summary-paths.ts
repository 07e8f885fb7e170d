/**
 * Groups behind references in a summary: `thingsSummary { behind(path: "place.name") count }`. The
 * selection names the paths, as it names the numbers.
 */
import { type GraphQLFieldConfig, GraphQLNonNull, type GraphQLResolveInfo, GraphQLString, valueFromAST } from 'graphql'
import type { Resource } from '../../resource/catalog.ts'
import { referencesOf } from '../../resource/relations/far-field.ts'
import type { GraphqlContext } from '../context.ts'
import { fieldsBelow } from '../documents/selection.ts'
import type { LeafTypes } from './leaf-types.ts'

const behind = 'behind'

const args = { path: { type: new GraphQLNonNull(GraphQLString), description: 'Such as "reference.field".' } }

/** The field; none where the resource has no references to go through, or a group of that name. */
export function behindField(
  resource: Resource,
  { scalars }: LeafTypes,
  taken: ReadonlySet<string>,
): Record<string, GraphQLFieldConfig<Readonly<Record<string, unknown>>, GraphqlContext>> {
  if (referencesOf(resource).length === 0 || taken.has(behind)) return {}
  return {
    [behind]: {
      type: scalars.JSON,
      args,
      description: 'Groups by a field behind references, and shows it.',
      resolve: (group, { path }) => group[String(path)] ?? null,
    },
  }
}

/** The paths that the selection names, each once. */
export function pathsBehind(info: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'variableValues'>): string[] {
  const paths = fieldsBelow(info)
    .filter(({ name }) => name.value === behind)
    .flatMap(({ arguments: given = [] }) => given)
    .map(({ value }) => valueFromAST(value, GraphQLString, info.variableValues.coerced))
  return [...new Set(paths.filter((path) => typeof path === 'string'))]
}
