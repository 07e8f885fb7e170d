/** Resolves the list of a resource: its order, filters and search fields, with every default. */

import type { DeclaredResource } from './define.ts'
import { takesValues } from './fields/field-facts.ts'
import type { ListDeclaration } from './list-declaration.ts'
import type { ListSettings, SortKey } from './resolved-resource.ts'

function parseSortKey(text: string): SortKey {
  return text.startsWith('-') ? { field: text.slice(1), descending: true } : { field: text, descending: false }
}

/** The settings of the list of a resource by its declaration, with every default. */
export function listSettings(declared: DeclaredResource, idField: string): ListSettings {
  const list: ListDeclaration = declared.list ?? { style: 'page' }
  const isById = list.style === 'cursor'
  const placed = isById ? undefined : Object.keys(declared.fields).find((name) => declared.fields[name]?.type.places)
  const usual = isById ? `-${idField}` : idField
  const first = list.defaultSort ?? placed ?? usual
  const key = parseSortKey(first)
  const visible = Object.entries(declared.fields).filter(([, field]) => takesValues(field) && !field.hidden)
  const filterable =
    list.filterable ?? visible.filter(([, field]) => field.type.operators.length > 0).map(([name]) => name)
  return {
    style: list.style,
    sortable: new Set([...(list.sortable ?? []), ...(placed === undefined ? [] : [placed])]),
    defaultSort: key.field === idField ? [key] : [key, { field: idField, descending: key.descending }],
    filters: list.filters ?? {},
    filterable: new Set(filterable),
    unindexed: new Set(list.unindexed ?? []),
    search: list.search ?? [],
    bulk: list.bulk ?? false,
  }
}
