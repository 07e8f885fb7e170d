/**
 * Which fields of a record show another value as time goes by, without a write: those that are
 * computed with `now`, alone or in embedded records.
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
