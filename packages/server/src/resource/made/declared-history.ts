/** The option `history` of a declaration: the versions of its records are kept. */
import { countKind, type Members, objectOf } from '../members.ts'
import { type Rule, ruleKind } from '../rule.ts'

/** `K`, `P`, `L`: what its rule names, as in `Rule`. */
export type HistoryDeclaration<K extends string = string, P extends string = string, L extends string = string> = {
  /** The most versions of one record; the oldest go first. 100 by default. */
  readonly keep?: number
  /** The days that a version is kept; as long as its record by default. */
  readonly days?: number
  /**
   * The callers who read the history of a record: a rule about the record as it is now. By default
   * those who may get and update it, or get it where it has no `update`.
   */
  readonly read?: Rule<K, P, L>
}

const members = { keep: countKind, days: countKind, read: ruleKind } satisfies Members<HistoryDeclaration>
export const historyKind = objectOf(members)

export const versionsKept = 100

/**
 * The fields of a version that are not those of the record. A declaration with `history` cannot use
 * their names.
 */
export const historyFields = {
  id: 'historyId',
  of: 'historyOf',
  version: 'historyVersion',
  kind: 'historyKind',
  at: 'historyAt',
  by: 'historyBy',
  credential: 'historyCredential',
  /** The fields of links that the version has: such a field may be younger. No caller sees it. */
  links: 'historyLinks',
} as const

/** Those that callers see, in their order. */
export const ownVersionNames: readonly string[] = Object.values(historyFields).filter(
  (name) => name !== historyFields.links,
)

/**
 * `kept`: the record as it was before its first change with a history. `restore`: it came back from
 * the trash.
 */
export const historyKinds = ['create', 'update', 'kept', 'restore'] as const

/** The child of the record, and the action that writes an earlier version. */
export const historyChild = 'history'
export const revertAction = 'revert'

/** `plan` → `planVersion`. */
export function versionName(resource: string): string {
  return `${resource}Version`
}
