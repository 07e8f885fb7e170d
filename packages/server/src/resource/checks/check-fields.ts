/**
 * Finds mistakes in fields: names, defaults, limits, transitions, and fields that no write can ever
 * set.
 */
import { hasRule } from '../access/change-rule.ts'
import type { Field } from '../fields/field.ts'
import { valueMistake } from '../fields/field-facts.ts'
import { partsOf } from '../fields/nested/object.ts'
import type { Transition } from '../fields/transition.ts'
import { singleField } from '../made/single-resource.ts'
import { checkPersonal } from '../personal/personal-fields.ts'
import { checkRule } from '../rule.ts'
import { declaredMembers } from '../tenancy/tenant-words.ts'
import { snakeOf } from '../words/names.ts'
import { findMeant } from '../words/nearest.ts'
import {
  type DeclarationCheck,
  fieldNameMistake,
  fieldOf,
  nameMistake,
  noField,
  notListed,
  type ReportProblem,
} from './declaration-check.ts'

export function checkFields(context: DeclarationCheck): void {
  const { declared, report } = context
  checkPersonal(context)
  const ids = Object.entries(declared.fields).filter(([, field]) => field.type.referredBy)
  if (ids.length !== 1) report('fields', `exactly one field must be id() or integerId(), here are ${ids.length}`)
  const columns = new Map<string, string>()
  for (const [name, field] of Object.entries(declared.fields)) {
    const at = `field "${name}"`
    const other = columns.get(snakeOf(name))
    if (other) report(at, `is stored in the same column as "${other}"`)
    columns.set(snakeOf(name), name)
    const misnamed = declared.single && name === singleField ? undefined : fieldNameMistake(name)
    if (misnamed) report(at, misnamed)
    checkLimits(at, field, report)
    if (partsOf(field)) report(at, 'is of object(), which only input and output have: a record has json(), or children')
    checkMadeFrom(at, field, context)
    checkTakesRoles(at, name, context)
    const unfit = defaultMistake(field, context.byName)
    if (unfit) report(at, unfit)
    checkReference(at, field, context)
    checkTransitions(at, field, context)
    checkExpiry(at, field, context)
    checkAudience(at, field, context)
    checkReturned(at, field, context)
    checkWhoSets(at, field, context)
  }
}

function checkLimits(at: string, field: Field, report: ReportProblem): void {
  const problem = field.type.limitsMistake?.(field.limits)
  if (problem) report(at, problem)
}

/** A value is made from a text that the record has. */
function checkMadeFrom(at: string, field: Field, { declared, report }: DeclarationCheck): void {
  const name = field.type.madeFrom?.field(field)
  if (name === undefined) return
  const source = fieldOf(declared, name)
  if (!source) report(at, `from: ${noField(declared, name)}`)
  else if (!source.type.isProse || source.virtual) report(at, `from: "${name}" is no text`)
}

/** Only users and memberships have a role, and its words are said with them. */
function checkTakesRoles(at: string, name: string, { declared, tenancies, report }: DeclarationCheck): void {
  const { takesRoles, values } = declared.fields[name] as Field
  if (!takesRoles) return
  const mark = declared.identity
  const tables = tenancies.flatMap(declaredMembers)
  if (tables.some(({ said }) => said.members === declared.name && said.role === name)) return
  if (mark?.kind !== 'login' || mark.role !== name)
    report(at, 'roleField() is the field of users or memberships that their mark or tenancy names as role')
  else if (!values) report(at, 'roleField() has no roles: list users by ...accounts({ roles: [...], users })')
}

/**
 * Sample records for a call of each function of the declaration, as made by a caller without a
 * role.
 */
const sample = { now: '2026-01-31T12:00:00.000Z', role: null, settings: { currency: 'USD', signUp: 'open' } } as const

type CheckedValue = { readonly field: Field; readonly value: unknown; readonly name: string }

/**
 * Why a value that a caller could send is none of the field, stored or sent; undefined when it is
 * one. Throws what a sent one is refused with.
 */
function sentMistake({ field, value, name }: CheckedValue, byName: DeclarationCheck['byName']): string | undefined {
  const target = byName.get(field.reference?.resource ?? '')
  const type = Object.values(target?.fields ?? {}).find((one) => one.type.referredBy)?.type.referredBy ?? field.type
  return valueMistake({ ...field, type }, type.check(value, name, field), name)
}

/**
 * Why the default is no value of the field; undefined when it is one. A default that is a function
 * is tried once.
 */
export function defaultMistake(field: Field, byName: DeclarationCheck['byName']): string | undefined {
  if (field.default === undefined || field.virtual || (field.takesRoles && !field.values?.length)) return undefined
  if (field.default === null) return field.nullable ? undefined : 'its default is null, and the field is never null'
  const isTried = typeof field.default === 'function'
  try {
    const value = typeof field.default === 'function' ? field.default(sample) : field.default
    return sentMistake({ field, value, name: 'its default' }, byName)
  } catch (error) {
    const { name, message } = error as Error
    return isTried && name !== 'ApiError' ? `its default cannot be computed: ${message}` : message
  }
}

/** The same for the constant that stored records take. */
export function backfillMistake(field: Field, byName: DeclarationCheck['byName']): string | undefined {
  if (field.backfill === undefined || typeof field.backfill === 'function') return undefined
  try {
    return sentMistake({ field, value: field.backfill, name: 'its backfill' }, byName)
  } catch (error) {
    return (error as Error).message
  }
}

/**
 * The same for a value that stands in the documents, `its example` unless it is called otherwise.
 */
export function exampleMistake(
  field: Field,
  value: unknown,
  { byName, name = 'its example' }: { readonly byName: DeclarationCheck['byName']; readonly name?: string },
): string | undefined {
  try {
    return sentMistake({ field, value, name }, byName)
  } catch (error) {
    return (error as Error).message
  }
}

function checkReference(at: string, { reference, virtual }: Field, context: DeclarationCheck): void {
  const { declared, byName, report } = context
  if (!reference) return
  if (!byName.has(reference.resource)) report(at, `refers to ${notListed(byName, reference.resource)}`)
  if (virtual || typeof reference.onDelete === 'string') return
  for (const [name, value] of Object.entries(reference.onDelete.deleteWhere)) {
    const field = fieldOf(declared, name)
    const problem = field ? valueMistake(field, value, name) : noField(declared, name)
    if (problem) report(at, `onDelete.deleteWhere: ${problem}`)
  }
}

function checkTransitions(at: string, field: Field, context: DeclarationCheck): void {
  const { declared } = context
  for (const [name, transition] of Object.entries(field.transitions ?? {})) {
    const report = (problem: string) => context.report(at, `transition "${name}" ${problem}`)
    const misnamed = nameMistake(name)
    if (misnamed) context.report(at, `transition "${name}": ${misnamed}`)
    const twin = Object.values(declared.fields).find(
      (other) => other.transitions && Object.hasOwn(other.transitions, name),
    )
    if (twin !== field) report('is also a transition of another field')
    if (!hasRule(declared.access, name)) report('has no rule under access')
    checkTransition(transition, { states: field.values ?? [], fields: declared.fields, report })
  }
}

type TransitionCheck = {
  readonly states: readonly string[]
  readonly fields: DeclarationCheck['declared']['fields']
  report(problem: string): void
}

function checkTransition({ from, to, stamp }: Transition, { states, fields, report }: TransitionCheck): void {
  if (from.length === 0) report('begins nowhere: from is empty')
  for (const state of [...from, to]) {
    if (!states.includes(state)) report(`names the state "${state}", which does not exist${findMeant(state, states)}`)
  }
  const stamps = Object.keys(fields).filter((one) => fields[one]?.setBy === 'transition')
  if (stamp !== undefined && !stamps.includes(stamp))
    report(`stamps "${stamp}", which is not a timestamp({ setOn: 'transition' })${findMeant(stamp, stamps)}`)
}

/**
 * A transition that needs a caller would never happen by itself: the record would wait for ever.
 */
function checkExpiry(at: string, { expires, transitions = {} }: Field, context: DeclarationCheck): void {
  if (!expires) return
  const { declared } = context
  const report = (problem: string) => context.report(at, `expires: ${problem}`)
  const { transition: name, from, since } = expires
  const transition = Object.hasOwn(transitions, name) ? transitions[name] : undefined
  if (!transition) report(`no transition "${name}"${findMeant(name, Object.keys(transitions))}`)
  if (from.length === 0) report('begins nowhere: from is empty')
  for (const state of transition ? from : [])
    if (!transition?.from.includes(state)) report(`the transition "${name}" does not begin in "${state}"`)
  const field = fieldOf(declared, since)
  if (!field) report(`since: ${noField(declared, since)}`)
  else if (field.virtual || field.type.inTime?.kind !== 'moment') report(`since: "${since}" must be a timestamp`)
  const needed = Object.entries(declared.actions?.[name]?.input ?? {}).find(([, one]) => one.required)
  if (needed) report(`the transition "${name}" needs the input "${needed[0]}", which no caller gives`)
}

/** The rules that guard fields may look at the record. */
function checkAudience(at: string, { read, write, hidden, type }: Field, context: DeclarationCheck): void {
  if (hidden && type.secret === undefined && (read || write))
    context.report(at, `${read ? 'read' : 'write'}: means nothing for a hidden field, which no caller reads or sets`)
  for (const [name, rule] of Object.entries({ read, write })) {
    const report = (problem: string) => context.report(at, `${name}: ${problem}`)
    if (rule) checkRule(rule, { ...context, about: 'record', report })
  }
}

/** The parts of a record are shown with it, and no request names their fields. */
function checkReturned(at: string, { returned, hidden, type, virtual }: Field, context: DeclarationCheck): void {
  const { byName, report } = context
  if (returned && (hidden || type.secret)) report(at, 'returned: means nothing for a field that no answer has')
  if (virtual?.kind !== 'embedded') return
  const parts = Object.entries(byName.get(virtual.resource)?.fields ?? {})
  const [name] = parts.find(([, one]) => one.returned) ?? []
  if (name) report(at, `embeds records whose "${name}" is returned on request, and no request names it in a part`)
}

/** A field that is never null needs a source for its value. */
function checkWhoSets(at: string, field: Field, { declared, report }: DeclarationCheck): void {
  const { access } = declared
  const isMade =
    field.type.referredBy || field.type.series || field.type.places || field.type.secret === 'made' || field.virtual
  if (isMade || field.nullable || field.default !== undefined || declared.onWrite?.[nameOf(declared, field)]) return
  if (field.setBy === 'transition') report(at, 'is set by a transition, so it cannot be required')
  if (field.setBy === 'engine' && (access.create || access.import))
    report(
      at,
      `is ${field.hidden ? 'hidden' : 'read-only'}, never null and has no default, so no record can be created`,
    )
}

function nameOf({ fields }: DeclarationCheck['declared'], field: Field): string {
  return Object.keys(fields).find((name) => fields[name] === field) ?? ''
}
