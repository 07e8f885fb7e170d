/**
 * The fields of a resource that exist for a caller. Where the rule of a field depends on the
 * record, only the records that a condition matches show it.
 */
import { always, type Condition, never } from '../resource/condition.ts'

export type VisibleFields = {
  /** The fields that the caller may read, on all records or on some. Others do not exist. */
  readonly visible: ReadonlySet<string>
  /** The records that show a field. A visible field that is absent here is shown by all. */
  readonly visibleWhere: ReadonlyMap<string, Condition>
}

/** No field depends on the record. */
export const onAllRecords: VisibleFields['visibleWhere'] = new Map()

/** Whether every record shows the field: only then may a list be sorted or grouped by it. */
export function isShownByAll({ visible, visibleWhere }: VisibleFields, name: string): boolean {
  return visible.has(name) && !visibleWhere.has(name)
}

/** The records that show a field. */
export function shownWhere({ visible, visibleWhere }: VisibleFields, name: string): Condition {
  return visible.has(name) ? (visibleWhere.get(name) ?? always) : never
}
