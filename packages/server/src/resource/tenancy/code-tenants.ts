/**
 * The tenants that code of an application is in: that of the record it is about, and the one that
 * the request names. Its `records(things)` finds and writes records of these alone.
 */
import type { Scalar } from '../condition.ts'

/**
 * The resource of tenants → the id of the tenant; null where the record leads to none, so that no
 * record of any tenant exists. A tenancy that is absent bounds nothing.
 */
export type CodeTenants = ReadonlyMap<string, Scalar | null>

/** Looked up when the code first asks for records. */
export type FindCodeTenants = () => Promise<CodeTenants>
