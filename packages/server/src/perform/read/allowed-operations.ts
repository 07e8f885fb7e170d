/**
 * Tells for each record of a page what the caller may do with it: REST's `expand=can` and GraphQL's
 * field `can`. The rules say it, and the steps of writes that refuse a record whatever is sent.
 * Rules that are the same for all records need no query, all others at most one.
 */

import { jsonText } from '../../base/json-text.ts'
import { recordPermissions } from '../../policy/permissions.ts'
import type { Resource } from '../../resource/catalog.ts'
import { all, type Condition } from '../../resource/condition.ts'
import type { Row } from '../../storage/storage.ts'
import { unhidden } from '../../value/hidden-fields.ts'
import { judgeRows } from './judge-rows.ts'
import type { LoadContext } from './related.ts'

/** By operation, in the order of the declaration. */
export type AllowedOperations = Readonly<Record<string, boolean>>

type RecordPage = { readonly resource: Resource; readonly rows: readonly Row[] }

/** Operations often share a condition, which is judged once. */
function distinctOf(permitted: ReadonlyMap<string, Condition>): ReadonlyMap<string, Condition> {
  const open = [...permitted.values()].filter(({ kind }) => kind !== 'true' && kind !== 'false')
  return new Map(open.map((where) => [jsonText(where), where]))
}

function permittedBy({ engine, principal }: LoadContext, resource: Resource): ReadonlyMap<string, Condition> {
  const permitted = recordPermissions(engine.policy, principal, resource)
  const { allows } = engine.stagesOf(resource)
  if (allows.length === 0) return permitted
  const limits = (operation: string) => allows.map((limit) => limit({ caller: principal, operation }))
  return new Map([...permitted].map(([operation, where]) => [operation, all(where, ...limits(operation))]))
}

/** In the order of the rows. `principal`: the caller with all scopes. */
export async function allowedOperations(
  loading: LoadContext,
  { resource, rows }: RecordPage,
): Promise<readonly AllowedOperations[]> {
  const { engine, reader } = loading
  const permitted = permittedBy(loading, resource)
  const conditions = distinctOf(permitted)
  const keys = [...permitted].map(([operation, where]) => [operation, where.kind, jsonText(where)] as const)
  const stored = resource.partlyShown.length === 0 ? rows : rows.map(unhidden)
  const judging = { catalog: engine.catalog, reader }
  const held = conditions.size === 0 ? [] : await judgeRows(judging, { resource, rows: stored, conditions })
  return rows.map((_, i) =>
    Object.fromEntries(
      keys.map(([operation, kind, key]) => [operation, kind === 'true' || held[i]?.has(key) === true]),
    ),
  )
}
