/**
 * The context that the checks of a declaration share: their declaration, their report, and their
 * words for a field that does not exist.
 */
import type { DeclaredResource } from '../define.ts'
import type { Field } from '../fields/field.ts'
import type { DeclaredPart } from '../parts/application-part.ts'
import type { DeclaredTenancy } from '../tenancy/define-tenancy.ts'
import { findMeant } from '../words/nearest.ts'

export type ReportProblem = (where: string, problem: string) => void
export type DeclarationCheck = {
  readonly declared: DeclaredResource
  readonly byName: ReadonlyMap<string, DeclaredResource>
  readonly tenancies: readonly DeclaredTenancy[]
  /** All parts of the application beside its resources. */
  readonly parts: readonly DeclaredPart[]
  readonly report: ReportProblem
}

/** Names that begin with `_` are the engine's, but for `_id`. */
export const engineNames = 'names that begin with _ are the engine\'s; only "_id" may be declared'

export function isEngineName(name: string): boolean {
  return name.startsWith('_') && name !== '_id'
}

/**
 * Why the declaration cannot use this name; undefined when it can. Members that every object has
 * would be found where none is declared.
 */
export function nameMistake(name: string): string | undefined {
  if (isEngineName(name)) return engineNames
  if (!/^[a-z][A-Za-z0-9]*$/.test(name)) return 'a name is camelCase letters and digits'
  return name in Object.prototype ? 'every object has a member of this name already' : undefined
}

/** The same for a field, which may also be `_id`. */
export function fieldNameMistake(name: string): string | undefined {
  return name === '_id' ? undefined : nameMistake(name)
}

export function fieldOf({ fields }: DeclaredResource, name: string): Field | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}

/** `no field "nam"; did you mean "name"?` */
export function noField({ fields }: DeclaredResource, name: string): string {
  return `no field "${name}"${findMeant(name, Object.keys(fields))}`
}

/** `"person", which is not in the list of resources; did you mean "persons"?` */
export function notListed(byName: ReadonlyMap<string, unknown>, name: string): string {
  return `"${name}", which is not in the list of resources${findMeant(name, byName.keys())}`
}

/** The field, when it is stored. Otherwise reports the mistake and returns undefined. */
export function storedField({ declared, report }: DeclarationCheck, at: string, name: string): Field | undefined {
  const field = fieldOf(declared, name)
  if (!field) report(at, noField(declared, name))
  else if (field.virtual) report(at, `"${name}" is not stored`)
  else return field
  return undefined
}

/** The field, when a list may depend on it. Otherwise reports the mistake and returns undefined. */
export function listedField(context: DeclarationCheck, at: string, name: string): Field | undefined {
  const field = storedField(context, at, name)
  if (!field?.hidden) return field
  context.report(at, `"${name}" is never shown, so nothing may depend on it`)
  return undefined
}

export function movesOf({ fields }: DeclaredResource): string[] {
  return Object.values(fields).flatMap((field) => Object.keys(field.transitions ?? {}))
}

/** The required fields that nothing fills but the values that are known. */
export function unfilledFields({ fields }: DeclaredResource, known: readonly (string | undefined)[]): string[] {
  const isUnfilled = ([name, field]: readonly [string, Field]) =>
    field.required && field.default === undefined && field.setBy === undefined && !known.includes(name)
  return Object.entries(fields)
    .filter(isUnfilled)
    .map(([name]) => name)
}
