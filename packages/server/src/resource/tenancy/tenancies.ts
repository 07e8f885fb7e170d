/** The tenancies of a catalog, for everything above the catalog. */
import type { Resource } from '../catalog.ts'
import type { InvitationTableOf, MemberTableOf, TenancyOf } from './tenancy-tables.ts'

export type MemberTable = MemberTableOf<Resource>
export type Tenancy = TenancyOf<Resource>
export type InvitationTable = InvitationTableOf<Resource>

/** Whether a membership counts: it has a user, and the status is the active one. */
export function isMember({ user, status, activeStatus }: MemberTable, row: Readonly<Record<string, unknown>>): boolean {
  return row[user] !== null && (status === undefined || row[status] === activeStatus)
}
