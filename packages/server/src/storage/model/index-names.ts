/**
 * The names of indexes: short enough for PostgreSQL, and each once in the namespace that they share
 * with tables.
 */
import { hash } from 'node:crypto'
import type { ModelIndex, ModelTable } from './model.ts'

/** PostgreSQL truncates longer names, and an error names the violated key by its index. */
const nameLengthMax = 63

export function indexName(table: string, columns: readonly string[], ending: string): string {
  const name = `${table}_${columns.join('_')}_${ending}`
  if (name.length <= nameLengthMax) return name
  const mark = hash('sha256', name, 'hex').slice(0, 8)
  return `${name.slice(0, nameLengthMax - ending.length - mark.length - 2)}_${mark}_${ending}`
}

/**
 * Indexes and tables share one namespace: a name that two would have gets a suffix from its table
 * and columns.
 */
export function withNamesApart(tables: readonly ModelTable[]): readonly ModelTable[] {
  const names = tables.flatMap(({ name, indexes }) => [name, ...indexes.map((index) => index.name)])
  const twice = new Set(names.filter((name, at) => names.indexOf(name) !== at))
  if (twice.size === 0) return tables
  const apart = (table: string, index: ModelIndex): ModelIndex => {
    if (!twice.has(index.name)) return index
    const mark = hash('sha256', JSON.stringify([table, index.columns]), 'hex').slice(0, 16)
    return { ...index, name: `${index.name.slice(0, nameLengthMax - 21)}_${mark}_${index.unique ? 'key' : 'idx'}` }
  }
  return tables.map((table) => ({ ...table, indexes: table.indexes.map((index) => apart(table.name, index)) }))
}
