/** The role of people in tests to whom a test gives none. */
import type { Catalog } from '../resource/catalog.ts'

/**
 * The lowest role. Where no role is the lowest one, the default of the field, or else the first
 * role.
 */
export function usualRole({ roles: { lowest, names }, login }: Catalog): string {
  const given = login?.resource.fields[login.mark.role]?.default
  return lowest || (typeof given === 'string' ? given : (names[0] ?? ''))
}
