/**
 * Finds the fields of a record that change as time passes, without a write. These are fields
 * computed with `now`, in the record or in its embedded records.
 */
import type { Field } from './fields/field.ts'

type DefaultedField<R> = {
  readonly fields: Readonly<Record<string, Field>>
  readonly virtualNames: readonly string[]
  readonly relations: Readonly<Record<string, { readonly resource: R }>>
}

/** Embedded records form no circles, which is checked before. */
export function timedNamesOf<R extends DefaultedField<R>>(resource: DefaultedField<R>): string[] {
  return resource.virtualNames.filter((name) => {
    const virtual = resource.fields[name]?.virtual
    if (virtual?.kind === 'derived') return virtual.clock
    const parts = virtual?.kind === 'embedded' ? resource.relations[name]?.resource : undefined
    return parts !== undefined && timedNamesOf(parts).length > 0
  })
}
