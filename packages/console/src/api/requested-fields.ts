/**
 * Fields that answers have only where the request names them: links, and those that a declaration
 * says.
 */
import type { FieldDescription, ResourceDescription } from 'bindery-server/client'
import type { Row } from './rows.ts'

type Described = Pick<ResourceDescription, 'fields'>

export const isLinks = ({ type }: Pick<FieldDescription, 'type'>) => type === 'manyToMany'
export const isRequested = ({ returned }: Pick<FieldDescription, 'returned'>) => returned === 'request'

/** The ids of a list of links: each is an id, or a record of an id and the values of the link. */
export function linkedIds(value: unknown): readonly string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : []
  return items.map((item) => String(typeof item === 'object' ? (item as Row).id : item))
}

/** The fields that an answer is asked for; nothing where it has them anyway. */
export function naming(fields: readonly FieldDescription[]): { readonly fields?: string } {
  if (!fields.some(isRequested)) return {}
  const shown = fields.filter(({ secret }) => !secret)
  return { fields: shown.map(({ name }) => name).join(',') }
}

/** The query of a whole record. */
export function wholeRecord({ fields }: Described): { readonly fields?: string } {
  return naming(fields)
}

/** Whether an answer lacks fields that the page shows. */
export function lacksRequested({ fields }: Described, answer: Row): boolean {
  return fields.some((field) => isRequested(field) && !(field.name in answer))
}

/** The answer of a write with the fields that were known before it. */
export function withRequested({ fields }: Described, answer: Row, known: Row | undefined): Row {
  if (!known) return answer
  const kept = fields.filter((field) => isRequested(field) && field.name in known)
  return { ...Object.fromEntries(kept.map(({ name }) => [name, known[name]])), ...answer }
}
