/**
 * Fields with values about the person whom a reference of the record names (`personal`). The record
 * stays when that person is erased, and these fields are emptied.
 */
import { type DeclarationCheck, noField } from '../checks/declaration-check.ts'
import type { Fields } from '../fields/field.ts'

/** The fields that say so of this reference. */
export function personalNames({ fields }: { readonly fields: Fields }, reference: string): readonly string[] {
  return Object.keys(fields).filter((name) => fields[name]?.personal === reference)
}

/** Why an erasure would never empty the field; undefined where it does. */
function pointless({ declared, byName }: DeclarationCheck, named: string): string | undefined {
  const { reference } = declared.fields[named] ?? {}
  if (!Object.hasOwn(declared.fields, named)) return noField(declared, named)
  if (!reference) return `"${named}" is no reference`
  const label = byName.get(reference.resource)?.name ?? reference.resource
  if (reference.onDelete === 'delete') return `the record goes with the ${label} of "${named}", so nothing is left`
  if (reference.onDelete === 'refuse') return `"${named}" refuses the erasure of its ${label}`
  return undefined
}

export function checkPersonal({ declared, report, ...rest }: DeclarationCheck): void {
  const context = { declared, report, ...rest }
  for (const [name, field] of Object.entries(declared.fields)) {
    const at = `field "${name}"`
    const source = field.type.madeFrom?.field(field)
    if (source !== undefined && declared.fields[source]?.personal !== undefined)
      report(at, `from: an erasure empties "${source}", and the value that is made from it would stay`)
    if (field.personal === undefined) continue
    const problem = pointless(context, field.personal)
    if (problem) report(at, `personal: ${problem}`)
    else if (field.virtual) report(at, 'personal: it is not stored')
    else if (!field.nullable)
      report(at, 'personal: an erasure cannot empty it, because it is never null; leave required and default out')
  }
}
