/**
 * Facts of the caller, beside its credential, that a feature adds when the caller is identified.
 * Accounts know no such feature by name.
 */
import type { Resource } from '../resource/catalog.ts'
import type { UserPrincipal } from '../resource/principal.ts'
import type { ReadStorage, Row } from '../storage/storage.ts'

/** A table whose records are each about one user. */
export type CallerTable = {
  readonly resource: Resource
  /** The reference to that user. */
  readonly owner: string
  /** The other fields that decide the facts. */
  readonly fields: readonly string[]
}

/** A table whose records are about no user, and decide the facts of several. */
export type SharedTable = Omit<CallerTable, 'owner'>

/** A caller whose credential is good, with the user's stored record. */
export type IdentifiedCaller = { readonly principal: UserPrincipal; readonly user: Row | undefined }

export type CallerSource = {
  /** A write to a record of these about the user makes the facts be read again. */
  readonly tables: readonly CallerTable[]
  /** An update of these fields makes the facts of all callers be read again. */
  readonly shared?: readonly SharedTable[]
  read(storage: Pick<ReadStorage, 'list' | 'count'>, caller: IdentifiedCaller): Promise<Partial<UserPrincipal>>
}

/** Reads the facts of all sources at once, and adds them to the principal. */
export async function completePrincipal(
  sources: readonly CallerSource[],
  storage: Pick<ReadStorage, 'list' | 'count'>,
  caller: IdentifiedCaller,
): Promise<UserPrincipal> {
  if (sources.length === 0) return caller.principal
  const facts = await Promise.all(sources.map((one) => one.read(storage, caller)))
  return Object.assign({ ...caller.principal }, ...facts)
}
