/**
 * Compile-time tests: a kind or a table without an entry in the list of places does not compile. An
 * unused `@ts-expect-error` is an error, so this file needs no run.
 */
import type { ErasurePlace, PlaceKind } from '../../src/accounts/erasure/erasure-places.ts'
import type { IdentityMark } from '../../src/resource/accounts/identity-mark.ts'
import type { MadeFor } from '../../src/resource/traits.ts'
import type { ownTables } from '../../src/storage/changes.ts'

type Places = Readonly<Record<PlaceKind, ErasurePlace>>
declare const allBut: {
  readonly record: Omit<Places, 'record'>
  readonly history: Omit<Places, 'history'>
  readonly audit: Omit<Places, 'audit'>
  readonly log: Omit<Places, 'bindery_changes'>
}

// @ts-expect-error records are a place
export const withoutRecords: Places = allBut.record
// @ts-expect-error a kind of resource that the engine makes is a place
export const withoutHistory: Places = allBut.history
// @ts-expect-error a mark of accounts is a place
export const withoutAudit: Places = allBut.audit
// @ts-expect-error a table of the service is a place
export const withoutLog: Places = allBut.log

/** The places have every mark, every kind and every table, so a new one is one of them. */
export const everyOne = (place: IdentityMark['kind'] | MadeFor['kind'] | (typeof ownTables)[number]): PlaceKind => place
