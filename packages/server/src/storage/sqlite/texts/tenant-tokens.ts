/**
 * The words of each tenant, as tokens that begin with the tenant. So a search among many tenants
 * reads what one among the records of a single tenant would read.
 */
import type { Scalar } from '../../../resource/condition.ts'

/** No id has these letters, and the tokenizer leaves them together with the word that follows. */
const dash = 'y'
const end = 'x'

/** `'0a-1'` → `'0ay1x'` */
export function tenantMark(tenant: Scalar): string {
  return `${String(tenant).replaceAll('-', dash)}${end}`
}

/** A marked text with the tenant before each word, as SQL. */
export function withTenant(text: string, tenant: string): string {
  return `replace(${text}, char(1), char(1) || replace(${tenant}, '-', '${dash}') || '${end}')`
}

/** The number of characters before the word, where the ids are UUIDs. */
export const uuidMarkLength = 37
