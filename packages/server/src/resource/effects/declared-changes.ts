/** The option `changes` of a declaration: the change log keeps values before and after a write. */
import type { Field } from '../fields/field.ts'
import { flag, listOfKind, type MemberKind, type Members, objectOf, textKind } from '../members.ts'

/**
 * True for all fields that are stored, and neither hidden nor secret. Those that are returned on
 * request are named under `fields`.
 */
export type ChangesDeclaration<K extends string = string> =
  | boolean
  | {
      /** The fields whose values the log keeps. */
      readonly fields: readonly K[]
    }

const members = { fields: listOfKind(textKind) } satisfies Members<Exclude<ChangesDeclaration, boolean>>
const someFields = objectOf(members, { needed: ['fields'] })
export const changesKind: MemberKind = (value, path, report) =>
  (typeof value === 'object' ? someFields : flag)(value, path, report)

/** Whether the log may have it: no hidden value and no secret leaves its table. */
export function isOpen({ virtual, hidden, type }: Field): boolean {
  return !virtual && !hidden && type.secret === undefined
}

type WithChanges = {
  readonly changes?: ChangesDeclaration
  readonly fields: Readonly<Record<string, Field>>
}

type FollowedResource = {
  readonly shownNames: readonly string[] | undefined
  readonly access: { readonly list?: unknown; readonly get?: unknown }
  readonly single: boolean
}

/** The operation whose callers may follow the changes; undefined where they cannot be followed. */
export function followedBy({ shownNames, access, single }: FollowedResource): 'list' | 'get' | undefined {
  if (!shownNames) return undefined
  if (access.list) return 'list'
  return single && access.get ? 'get' : undefined
}

/** The fields whose values readers get; undefined for a resource without `changes`. */
export function shownNames({ changes, fields }: WithChanges): readonly string[] | undefined {
  if (!changes) return undefined
  const open = Object.keys(fields).filter((name) => isOpen(fields[name] as Field))
  if (changes === true) return open.filter((name) => fields[name]?.returned === undefined)
  return open.filter((name) => changes.fields.includes(name))
}
