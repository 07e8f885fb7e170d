/**
 * Parses the body of a write: a JSON object → stored values. For REST, GraphQL, imports and the
 * command line it decides which fields are allowed, missing or unknown. Checks that need the stored
 * record are in `perform/`.
 */
import { ApiError } from '../errors.ts'
import type { Resource } from '../resource/catalog.ts'
import { type DefaultContext, type Field, type Fields, fieldError } from '../resource/fields/field.ts'
import { isRequired, isSettable } from '../resource/fields/field-facts.ts'
import { type Increment, parseIncrement, refuseIncrement } from '../resource/fields/numbers/increment.ts'
import { isBlank } from '../resource/fields/text.ts'
import type { BodyKind } from '../resource/operation-kind.ts'
import { type ProofMember, proofOf } from '../resource/traits.ts'
import { listOf } from '../resource/words/names.ts'
import { relationOf } from './expansion.ts'
import { type NestedChanges, nestedLink, parseNested } from './nested/nested-body.ts'
import type { RecordBody } from './operation.ts'
import { collectProblems } from './problem-collector.ts'
import { isShownByAll, type VisibleFields } from './visible-fields.ts'

/** Stands for the field's default, which depends on the time and the caller. */
export const useDefault: unique symbol = Symbol('default')

/**
 * The stored value of a field's default; null when there is none. Defaults are declared as a caller
 * would send them.
 */
export function defaultOf(field: Field, context: DefaultContext): unknown {
  const value = typeof field.default === 'function' ? field.default(context) : (field.default ?? null)
  return value === null ? null : field.type.check(value, 'its default', field)
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || isBlank(value)
}

export function missingError(resource: Resource, names: readonly string[]): ApiError {
  const sentence = resource.messages.required ?? `${listOf(names)} ${names.length === 1 ? 'is' : 'are'} required`
  const mistakes = names.map((field) => ({ field, detail: `${field} is required` }))
  return new ApiError('bad-request', sentence, { mistakes })
}

export function unknownField(name: string): ApiError {
  const field = name.slice(0, 100)
  const detail = `Unknown field ${field}`
  return new ApiError('bad-request', detail, { mistakes: [{ field, detail }] })
}

/** Children that other bodies of this resource write. */
function notHere(name: string): ApiError {
  const detail = `${name} cannot be written here: leave it out, and write its records by themselves`
  return new ApiError('bad-request', detail, { mistakes: [{ field: name, detail }] })
}

/** A name that the body may not have: a relation that `expand` shows, or nothing that there is. */
function noField(shown: BodyExpectation, name: string): ApiError {
  if (shown.resource.nestedNames.includes(name)) return notHere(name)
  const link = relationOf(shown, name)
  const isCan = name === shown.resource.can?.name
  if (!link && !isCan) return unknownField(name)
  const advice = link?.kind === 'reference' ? `leave it out and send ${link.by}` : 'leave it out'
  const detail = `${name} is ${isCan ? '' : 'a relation, '}shown by expand; ${advice}`
  return new ApiError('bad-request', detail, { mistakes: [{ field: name, detail }] })
}

/** Any JSON value → an object. Throws `bad-request`. */
export function checkObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError('bad-request', 'The body must be a JSON object')
  }
  return value as Record<string, unknown>
}

/**
 * Required fields that are not there, or that would be cleared. A replace needs no value of a field
 * that the caller may not read, and keeps it. Where that depends on the record, `perform/` decides.
 */
function missingNames(expected: BodyExpectation, input: Record<string, unknown>): string[] {
  const { resource, kind, given } = expected
  return resource.requiredNames.filter((name) => {
    if (name === given) return false
    const isKept = kind === 'replace' && !isShownByAll(expected, name)
    const asked = (isRequired(resource.fields[name] as Field, kind) && !isKept) || Object.hasOwn(input, name)
    return asked && isMissing(input[name])
  })
}

/** One value that was sent → its stored value, null, or `useDefault`. Throws `bad-request`. */
function checkValue(name: string, field: Field, value: unknown): unknown {
  if (field.falsyIsDefault && !value) return useDefault
  if (value === null) {
    if (field.default !== undefined) return useDefault
    if (field.nullable) return null
    throw fieldError(name, 'must not be null')
  }
  return field.type.check(value, name, field)
}

/**
 * Whether the field exists for the caller. No response shows a password, but a body may have one. A
 * new record has no value yet that the caller may not read, where that depends on the record.
 */
function isKnown({ resource, kind, visible }: BodyExpectation, name: string): boolean {
  const field = Object.hasOwn(resource.fields, name) ? resource.fields[name] : undefined
  if (!field) return false
  if (visible.has(name) || (field.hidden && field.setBy === undefined)) return true
  return kind === 'create' && resource.partlyShown.includes(name)
}

export type BodyExpectation = VisibleFields & {
  readonly resource: Resource
  readonly kind: BodyKind
  /**
   * The reference that the path sets (`Under.by`): it may be left out, and `perform/` refuses
   * another value.
   */
  readonly given?: string | undefined
  /** It may write children, where the declaration allows it (`inBody`). */
  readonly nests?: true
  /** It is a line of an import, in which a caller shows nothing of themselves. */
  readonly isLine?: true
}

/** The fields of a body as they were sent, with what is wrong with each. */
type SentBodyValues = BodyExpectation & {
  readonly values: Map<string, unknown>
  readonly fixed: Map<string, unknown>
  nested: Map<string, NestedChanges> | undefined
  proof: string | undefined
}

/** Only an update adds to a value. An import stores the same again when its file is sent again. */
function incrementOf({ resource, kind, isLine }: SentBodyValues, name: string, sent: unknown): Increment | undefined {
  const field = resource.fields[name] as Field
  const found = kind === 'update' && !isLine ? parseIncrement(sent, name, field) : undefined
  if (!found) refuseIncrement(sent, name, field)
  return found
}

/** Whether it was the name of children, which are taken. */
function takeNested(taken: SentBodyValues, name: string, sent: unknown): boolean {
  const { resource, kind, nests } = taken
  const link = nests && nestedLink(resource, name, kind)
  if (!link) return false
  taken.nested ??= new Map()
  taken.nested.set(name, parseNested({ name, link, kind }, sent))
  return true
}

function takeField(taken: SentBodyValues, name: string, sent: unknown): void {
  if (!isKnown(taken, name)) {
    if (takeNested(taken, name, sent)) return
    throw noField(taken, name)
  }
  if (sent === undefined) return
  const { resource, kind, values, fixed } = taken
  const field = resource.fields[name] as Field
  if (isSettable(field, kind)) values.set(name, incrementOf(taken, name, sent) ?? checkValue(name, field, sent))
  else if (kind === 'create') throw fieldError(name, 'is read-only')
  else fixed.set(name, sent)
}

/** Known only beside the fields that it is about. Null is none. Throws `bad-request`. */
function takeProof(taken: SentBodyValues, { name, of }: ProofMember, input: Record<string, unknown>): void {
  const { [name]: sent } = input
  if (!of.some((one) => Object.hasOwn(input, one))) throw unknownField(name)
  if (sent !== null && typeof sent !== 'string') throw fieldError(name, 'must be a string')
  taken.proof = sent ?? undefined
}

/**
 * Throws `bad-request`, whose sentence is about missing fields before any other fault, then about
 * the first unknown, read-only or wrong field. Its mistakes are those of all fields.
 */
export function checkBody(expected: BodyExpectation, value: unknown): RecordBody {
  const { resource, kind, isLine } = expected
  const input = checkObject(value)
  const mistakes = collectProblems()
  const missing = missingNames(expected, input)
  if (missing.length > 0) mistakes.add(missingError(resource, missing))
  const taken: SentBodyValues = {
    ...expected,
    values: new Map(),
    fixed: new Map(),
    nested: undefined,
    proof: undefined,
  }
  const proof = isLine ? undefined : proofOf(resource, kind)
  for (const [name, sent] of Object.entries(input)) {
    if (mistakes.isFull) break
    if (missing.includes(name)) continue
    mistakes.during(() => (name === proof?.name ? takeProof(taken, proof, input) : takeField(taken, name, sent)))
  }
  mistakes.end()
  const { values, fixed, nested } = taken
  const omitted = kind === 'replace' ? addOmitted(expected, values) : []
  return { values, fixed, proof: taken.proof, ...(nested && { nested }), ...(omitted.length > 0 && { omitted }) }
}

/**
 * A replace sets an omitted field to its default, or to null. Fields with `keepOnReplace` are left
 * alone, and those that the caller may not see, which do not exist for it. Returns the fields that
 * only some records show.
 */
function addOmitted(expected: BodyExpectation, values: Map<string, unknown>): string[] {
  const { resource, visible, visibleWhere, given } = expected
  const omitted = resource.storedNames.filter((name) => {
    const field = resource.fields[name] as Field
    if (!isSettable(field, 'replace') || field.keepOnReplace || values.has(name)) return false
    return visible.has(name) && name !== given
  })
  for (const name of omitted) if (!visibleWhere.has(name)) values.set(name, omittedValue(resource, name))
  return omitted.filter((name) => visibleWhere.has(name))
}

/** The value of a field that a replace leaves out. */
export function omittedValue({ fields }: Resource, name: string): unknown {
  return fields[name]?.default === undefined ? null : useDefault
}

/** Checked values with the defaults of those that were not sent. */
export function filledIn(
  fields: Fields,
  values: Readonly<Record<string, unknown>>,
  context: DefaultContext,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const field = fields[name]
      return [name, value === useDefault && field ? defaultOf(field, context) : value]
    }),
  )
}

/**
 * The input of an action, against its own fields. An action without input takes an empty body, or
 * none.
 */
export function checkInput(fields: Fields | undefined, value: unknown): Record<string, unknown> {
  const input = value === undefined ? {} : checkObject(value)
  const known = fields ?? {}
  const mistakes = collectProblems()
  for (const name of Object.keys(input)) {
    if (!Object.hasOwn(known, name) && !mistakes.isFull) mistakes.add(unknownField(name))
  }
  const values: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(known)) {
    mistakes.during(() => {
      if (field.required && isMissing(input[name])) throw fieldError(name, 'is required')
      if (input[name] !== undefined) values[name] = checkValue(name, field, input[name])
      else values[name] = field.default === undefined ? null : useDefault
    })
  }
  mistakes.end()
  return values
}
