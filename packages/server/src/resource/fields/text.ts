/** The text field. Lengths count characters (Unicode code points). */
import { countKind, kindOf, type MemberProblem, type Members, oneOf, takeOptions } from '../members.ts'
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
import { makePatternMachine, type PatternMachine } from './texts/pattern-machine.ts'

const maxLengthDefault = 1000
/** The states of a pattern's machine, times the characters: some ten milliseconds. */
const workMax = 1_000_000

/** `machine` matches the pattern. */
export type TextLimits =
  | {
      readonly maxLength?: number
      readonly format?: 'email'
      readonly pattern?: string
      readonly machine?: PatternMachine
    }
  | undefined

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
  if (field.limits?.machine?.matches(value) === false) throw fieldError(name, patternProblem(field))
  return value
}

/** People read an example and its description more easily than a pattern. */
function patternProblem({ description, example, limits }: FieldOf<TextLimits>): string {
  const { pattern, machine } = limits ?? {}
  const such = example === machine?.shortest ? `match ${pattern}, such as ${example}` : `look like ${example}`
  return description === undefined ? `must ${such}` : `must ${such}: ${description}`
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
 * A text to compare with may be longer than a stored one, or of another pattern, and then equals
 * none. Its length is bounded all the same.
 */
function parseText(text: unknown, name: string, field: FieldOf<TextLimits>): string {
  const maxLength = Math.max(lengthMax(field), maxLengthDefault)
  const { machine: _, ...limits } = field.limits ?? {}
  return checkText(text, name, { ...field, limits: { ...limits, maxLength } })
}

/** A part of a text need not look like the whole: `email[contains]=ann` is not an address. */
export function parsePart(text: string, name: string, field: FieldOf<TextLimits>): string {
  const { format: _, ...limits } = field.limits ?? {}
  return parseText(text, name, { ...field, limits })
}

export const textType: FieldType<TextLimits> = {
  name: 'text',
  alsoReads: ['choice', 'uuid', 'url', 'slug'],
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
    ...(field.limits?.pattern === undefined ? {} : { pattern: `^(?:${field.limits.pattern})$` }),
  }),
  requiredSchema: { pattern: '\\S' },
  limitsMistake: (limits) => {
    if (limits?.machine === undefined) return undefined
    const { machine, maxLength = maxLengthDefault } = limits
    const { shortest, size } = machine
    if (shortest === undefined || isLonger(shortest, maxLength))
      return `pattern matches no text of at most ${maxLength} characters`
    return size * maxLength > workMax ? `pattern is too large for texts of ${maxLength} characters` : undefined
  },
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
  /**
   * The whole text must match it: `/[A-Z]{2}\d{4}/`, or its source. It has the flag `u`, and no
   * look-around, back reference or boundary of a word.
   */
  pattern?: RegExp | string
}
const patternKind = kindOf(
  'a regular expression without flags, such as /[A-Z]{2}\\d{4}/, or its source',
  (value) => (typeof value === 'string' && value !== '') || (value instanceof RegExp && /^u?$/.test(value.flags)),
)
const members = {
  ...commonMembers,
  maxLength: countKind,
  format: oneOf(['email']),
  pattern: patternKind,
} satisfies Members<TextOptions>

type Patterned = { readonly limits: TextLimits; readonly example?: string; readonly mistakes?: MemberProblem[] }

/** The limits of a pattern, and a text that matches it for the documents. */
function readPattern(pattern: RegExp | string): Patterned {
  const source = typeof pattern === 'string' ? pattern : pattern.source
  try {
    const machine = makePatternMachine(source)
    const { shortest } = machine
    return { limits: { pattern: source, machine }, ...(shortest !== undefined && { example: shortest }) }
  } catch (error) {
    return { limits: {}, mistakes: [{ path: 'pattern', problem: (error as Error).message }] }
  }
}

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
  const { maxLength, format, pattern, ...common } = known as TextOptions
  const patterned = pattern === undefined ? { limits: {} } : readPattern(pattern)
  const { limits, example, mistakes: wrong = [] }: Patterned = patterned
  return makeField(textType, {
    ...(example !== undefined && { example }),
    ...common,
    limits: { maxLength, format, ...limits },
    mistakes: [...mistakes, ...wrong],
  } as never)
}
