/** The text field. Lengths count characters (Unicode code points). */
import { countKind, type Members, oneOf, takeOptions } from '../members.ts'
import {
  type CommonOptions,
  commonMembers,
  type DefaultOf,
  type Field,
  type FieldOf,
  type FieldType,
  fieldError,
  type HasDefault,
  makeField,
  operators,
  type ValueOf,
} from './field.ts'

const maxLengthDefault = 1000

export type TextLimits = { readonly maxLength?: number; readonly format?: 'email' } | undefined

/**
 * Whether the text has more characters than `max`. A character has at most two code units, so a
 * text of over twice as many units is not counted.
 */
export function isLonger(text: string, max: number): boolean {
  if (text.length <= max || text.length > 2 * max) return text.length > max
  let count = 0
  for (const _ of text) count += 1
  return count > max
}

function lengthMax({ limits }: FieldOf<TextLimits>): number {
  return limits?.maxLength ?? maxLengthDefault
}

export function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text)
}

/** The characters that `trim` removes, for databases, which remove fewer by themselves. */
export const blankCharacters =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'

/** Whether a text has nothing but white space. A required one counts as missing then. */
export function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === ''
}

/**
 * Invisible characters, and those that change the order of visible ones (Unicode, sections 5.21 and
 * 23.2).
 */
const invisible = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u

/** Whether every database can store the text. */
export function isPlainText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0') && value.isWellFormed()
}

function checkText(value: unknown, name: string, field: FieldOf<TextLimits>): string {
  if (typeof value !== 'string') throw fieldError(name, 'must be a string')
  if (value.includes('\0')) throw fieldError(name, 'must not contain a NUL character')
  if (!value.isWellFormed()) throw fieldError(name, 'must not contain a lone surrogate')
  const max = lengthMax(field)
  if (isLonger(value, max)) throw fieldError(name, `must be at most ${max} characters`)
  if (field.limits?.format === 'email' && !isEmail(value)) throw fieldError(name, 'must be an email address')
  return value
}

/**
 * Two addresses that look the same must be the same. Addresses that are stored already may stay.
 */
function checkNewText(value: unknown, name: string, field: FieldOf<TextLimits>): string {
  const text = checkText(value, name, field)
  if (field.limits?.format === 'email' && invisible.test(text))
    throw fieldError(name, 'must not contain invisible characters')
  return text
}

/**
 * A text to compare with may be longer than a stored one, and then equals none. It is bounded all
 * the same.
 */
function parseText(text: unknown, name: string, field: FieldOf<TextLimits>): string {
  const maxLength = Math.max(lengthMax(field), maxLengthDefault)
  return checkText(text, name, { ...field, limits: { ...field.limits, maxLength } })
}

/** A part of a text need not look like the whole: `email[contains]=ann` is not an address. */
export function parsePart(text: string, name: string, field: FieldOf<TextLimits>): string {
  const { format: _, ...limits } = field.limits ?? {}
  return parseText(text, name, { ...field, limits })
}

export const textType: FieldType<TextLimits> = {
  name: 'text',
  alsoReads: ['choice'],
  column: 'text',
  operators,
  scalar: 'String',
  isProse: true,
  check: checkNewText,
  checkStored: checkText,
  isComparable: isPlainText,
  parse: parseText,
  parsePart,
  lengthMax,
  schema: (field) => ({
    type: 'string',
    maxLength: lengthMax(field),
    ...(field.limits?.format ? { format: field.limits.format } : {}),
  }),
  requiredSchema: { pattern: '\\S' },
}

type TextOptions<
  R extends boolean = boolean,
  D = DefaultOf<string> | undefined,
  L extends string = string,
  Q extends string = string,
> = CommonOptions<R, D, string, never, L, Q> & {
  /** In characters; 1,000 by default. */
  maxLength?: number
  /** The format that the text must have. */
  format?: 'email'
}
const members = { ...commonMembers, maxLength: countKind, format: oneOf(['email']) } satisfies Members<TextOptions>

/**
 * Text: `text({ required: true, maxLength: 200 })`. A blank value of a required text counts as
 * missing.
 */
export function text<
  const R extends boolean = false,
  const D extends DefaultOf<string> | undefined = DefaultOf<string> | undefined,
  L extends string = never,
  Q extends string = never,
>(
  options?: TextOptions<R, D, L, Q>,
): Field<ValueOf<string, R, D>, string, { kind: 'text'; filled: HasDefault<D>; roles: L; mentions: Q }> {
  const { known, mistakes } = takeOptions(options, members)
  const { maxLength, format, ...common } = known
  return makeField(textType, { ...common, limits: { maxLength, format }, mistakes })
}
