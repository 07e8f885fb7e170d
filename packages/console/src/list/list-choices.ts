/** The columns and views that a person chose for a list, kept in this browser for them alone. */
import type { FieldDescription, ResourceDescription } from 'bindery-server/client'
import { useState } from 'react'
import type { ListQuery } from '../address/request-line.ts'
import { personId } from '../api/client.ts'
import { naming } from '../api/requested-fields.ts'
import { fieldsShown, listedFields } from './list-columns.tsx'

export type SavedView = {
  readonly name: string
  readonly query: ListQuery
  readonly columns: readonly string[] | undefined
}
export type ListChoices = {
  /** The names of fields in order; all that the list shows by default where it is undefined. */
  readonly columns?: readonly string[] | undefined
  readonly widths: Readonly<Record<string, number>>
  readonly views: readonly SavedView[]
}

const none: ListChoices = { widths: {}, views: [] }
const keyOf = (slug: string) => `bindery.console.list.${personId()}.${slug}`

function read(slug: string): ListChoices {
  try {
    return { ...none, ...JSON.parse(localStorage.getItem(keyOf(slug)) ?? '{}') }
  } catch {
    return none
  }
}

export function useListChoices(slug: string) {
  const [choices, setChoices] = useState(() => read(slug))
  const choose = (changes: Partial<ListChoices>) => {
    const next = { ...read(slug), ...changes }
    localStorage.setItem(keyOf(slug), JSON.stringify(next))
    setChoices(next)
  }
  return [choices, choose] as const
}

/** `fields` in the address comes before what was chosen. */
export function fieldsFor(
  resource: ResourceDescription,
  { fields }: ListQuery,
  { columns }: Pick<ListChoices, 'columns'>,
): readonly FieldDescription[] {
  const named = fields?.split(',') ?? columns
  if (!named) return fieldsShown(resource)
  const found = named.flatMap((name) => listedFields(resource).find((one) => one.name === name) ?? [])
  return found.length > 0 ? found : fieldsShown(resource)
}

/** The fields of these names that the caller has: a view of another person may name others. */
export function knownColumns({ fields }: ResourceDescription, names: readonly string[]): readonly string[] {
  return names.filter((name) => fields.some((one) => one.name === name))
}

/** The query as it is sent: hidden fields are not asked for. */
export function requestOf(
  resource: ResourceDescription,
  { fields, ...query }: ListQuery,
  columns: readonly string[] | undefined,
): ListQuery {
  const known = knownColumns(resource, fields?.split(',') ?? columns ?? [])
  if (known.length > 0) return { ...query, fields: known.join(',') }
  return { ...query, ...naming(fieldsShown(resource)) }
}
