/**
 * The fields of a resource that exist for a caller. Where the rule of a field depends on the
 * record, only the records that a condition matches show it.
 */
import type { Resource } from '../resource/catalog.ts'
import { always, type Condition, never } from '../resource/condition.ts'
import { takesValues } from '../resource/fields/field-facts.ts'
import type { RecordBody } from './operation.ts'

export type VisibleFields = {
  /** The fields that the caller may read, on all records or on some. Others do not exist. */
  readonly visible: ReadonlySet<string>
  /** The records that show a field. A visible field that is absent here is shown by all. */
  readonly visibleWhere: ReadonlyMap<string, Condition>
  /** Code that acts as the system filters, sorts and groups by every stored field. */
  readonly listsAll?: true
}
type ListedFields = Pick<VisibleFields, 'listsAll'> & { readonly resource: Resource }

/** No field depends on the record. */
export const onAllRecords: VisibleFields['visibleWhere'] = new Map()

/** Whether every record shows the field: only then may a list be sorted or grouped by it. */
export function isShownByAll({ visible, visibleWhere }: VisibleFields, name: string): boolean {
  return visible.has(name) && !visibleWhere.has(name)
}

/** The fields of an answer to a request that names none. */
export function shownUnasked(
  { requestedNames }: Pick<Resource, 'requestedNames'>,
  visible: ReadonlySet<string>,
): ReadonlySet<string> {
  return requestedNames.length === 0 ? visible : visible.difference(new Set(requestedNames))
}

/**
 * The fields of the answer to a body that names such fields: these too. Null where it names none.
 */
export function shownForBody(
  { resource, visible }: Pick<VisibleFields, 'visible'> & { readonly resource: Resource },
  { values, fixed }: Pick<RecordBody, 'values' | 'fixed'>,
): readonly string[] | null {
  const named = resource.requestedNames.filter((name) => visible.has(name) && (values.has(name) || fixed.has(name)))
  if (named.length === 0) return null
  const shown = new Set([...shownUnasked(resource, visible), ...named])
  return resource.fieldNames.filter((name) => shown.has(name))
}

/** The records that show a field. */
export function shownWhere({ visible, visibleWhere }: VisibleFields, name: string): Condition {
  return visible.has(name) ? (visibleWhere.get(name) ?? always) : never
}

/** Whether filters take the field, as far as the caller may read it. */
export function isFilterable({ resource, listsAll }: ListedFields, name: string): boolean {
  if (resource.list.filterable.has(name)) return true
  const field = listsAll && Object.hasOwn(resource.fields, name) ? resource.fields[name] : undefined
  return field !== undefined && takesValues(field) && field.type.operators.length > 0
}

/** The fields by which records are sorted, as far as the caller may read them. */
export function sortableNames({ resource, listsAll }: ListedFields): readonly string[] {
  const { list, storedNames, fields } = resource
  const isOrdered = (name: string) => !fields[name]?.type.isOpaque && !fields[name]?.type.isList
  return [...new Set([...list.sortable, ...(listsAll ? storedNames.filter(isOrdered) : [])])]
}
