/** Finds the fields that follow others. */
import type { Field, Fields } from '../field.ts'
import type { Follows } from './follows.ts'

export function followsOf(field: Field | undefined): Follows | undefined {
  return field?.virtual?.kind === 'derived' ? field.virtual.follows : undefined
}

/** The names of the fields that follow one of these. */
export function followersOf(fields: Fields, names: ReadonlySet<string>): readonly string[] {
  return Object.keys(fields).filter((name) => names.has(followsOf(fields[name])?.field ?? ''))
}
