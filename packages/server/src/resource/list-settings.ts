/** Resolves the list of a resource: its order, filters and search fields, with every default. */

import type { DeclaredResource } from './define.ts'
import type { Field } from './fields/field.ts'
import { takesValues } from './fields/field-facts.ts'
import { followersOf, followsOf } from './fields/following/followers.ts'
import type { ListDeclaration } from './list-declaration.ts'
import type { ListSettings, SortKey } from './resolved-resource.ts'

function parseSortKey(text: string): SortKey {
  return text.startsWith('-') ? { field: text.slice(1), descending: true } : { field: text, descending: false }
}

/** The settings of the list of a resource by its declaration, with every default. */
export function listSettings(declared: DeclaredResource, idField: string): ListSettings {
  const list: ListDeclaration = declared.list ?? { style: 'page' }
  const isById = list.style === 'cursor'
  // The order would tell the values to callers who may not read them.
  const isPlace = ({ type, read }: Field) => type.places !== undefined && read === undefined
  const [placed] = isById ? [] : (Object.entries(declared.fields).find(([, field]) => isPlace(field)) ?? [])
  const usual = isById ? `-${idField}` : idField
  const first = list.defaultSort ?? placed ?? usual
  const key = parseSortKey(first)
  const visible = Object.entries(declared.fields).filter(([, field]) => takesValues(field) && !field.hidden)
  const filterable =
    list.filterable ?? visible.filter(([, field]) => field.type.operators.length > 0).map(([name]) => name)
  const sortable = new Set([...(list.sortable ?? []), ...(placed === undefined ? [] : [placed])])
  const shown = new Set(filterable)
  const bounded = followersOf(declared.fields, shown).filter((name) => followsOf(declared.fields[name])?.bounds)
  return {
    style: list.style,
    sortable: new Set([...sortable, ...followersOf(declared.fields, sortable)]),
    defaultSort: key.field === idField ? [key] : [key, { field: idField, descending: key.descending }],
    filters: list.filters ?? {},
    filterable: new Set([...filterable, ...bounded]),
    unindexed: new Set(list.unindexed ?? []),
    search: list.search ?? [],
    bulk: list.bulk ?? false,
  }
}
