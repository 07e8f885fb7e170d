/** Sentences of a declaration that replace those of the engine. */
import { type Members, objectOf, textKind } from '../members.ts'
import { type CrudKind, crudKinds } from '../operation-kind.ts'

export type DeclaredMessages = {
  /** Replaces `name is required`. It comes before any other mistake of the body. */
  readonly required?: string
  /** Operation → what replaces `Book not found`: `{ delete: 'Not found' }`. */
  readonly notFound?: Readonly<Partial<Record<CrudKind, string>>>
  /** Replaces `email must be unique`, or what says that about several fields together. */
  readonly conflict?: string
}
const notFoundMembers = Object.fromEntries(crudKinds.map((one) => [one, textKind])) as Members<Record<CrudKind, string>>
const members = {
  required: textKind,
  notFound: objectOf(notFoundMembers),
  conflict: textKind,
} satisfies Members<DeclaredMessages>

export const messagesKind = objectOf(members)
