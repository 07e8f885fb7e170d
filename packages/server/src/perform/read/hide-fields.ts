/**
 * Hides the fields that the caller may not read on some records of a page. Every row passes here
 * before anything is computed from it or shown.
 */
import type { Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import type { Row } from '../../storage/storage.ts'
import { hideFields } from '../../value/hidden-fields.ts'
import { judgeRows } from './judge-rows.ts'
import type { LoadContext } from './related.ts'

export type ShownRows = {
  readonly resource: Resource
  readonly rows: readonly Row[]
  /** The fields that will be used, or null for all. Others are hidden where a condition decides. */
  readonly names: readonly string[] | null
}

export async function hideUnreadable(
  { engine, reader, principal }: LoadContext,
  { resource, rows, names }: ShownRows,
): Promise<readonly Row[]> {
  const { partlyShown } = resource
  if (partlyShown.length === 0 || rows.length === 0) return rows
  const { visible, visibleWhere } = engine.policy.visibleFields(principal, resource)
  if (visibleWhere.size === 0 && partlyShown.every((name) => visible.has(name))) return rows
  const conditions = new Map<string, Condition>(
    [...visibleWhere].filter(([name]) => names === null || names.includes(name)),
  )
  const held = await judgeRows({ catalog: engine.catalog, reader }, { resource, rows, conditions })
  return rows.map((row, i) => {
    const isShown = (name: string) => (visibleWhere.has(name) ? held[i]?.has(name) === true : visible.has(name))
    const hidden = partlyShown.filter((name) => !isShown(name))
    return hidden.length === 0 ? row : hideFields(row, hidden)
  })
}
