/**
 * Field types that only routes have: texts that are compared and never stored, and values that a
 * JSON Schema describes. A password at a log-in is such a text. The server checks and documents
 * them as it does the fields of resources.
 */

import {
  type CommonOptions,
  commonMembers,
  type Field,
  type FieldOf,
  type FieldType,
  fieldError,
  type JsonSchema,
  makeField,
  type ValueOf,
} from '../resource/fields/field.ts'
import { countKind, flag, kindOf, type Members, takeOptions, textKind } from '../resource/members.ts'

/** More than any credential has. */
const charactersMax = 4096

type RouteFieldOptions = Pick<CommonOptions, 'description'>
type TextOptions<R extends boolean = boolean> = RouteFieldOptions & {
  /** It must be sent, and not be empty. */
  required?: R
  /** As documents say; what is checked is the same for all. 4,096 by default. */
  maxLength?: number
  /** For the documents alone. */
  format?: 'password'
  pattern?: string
  writeOnly?: boolean
  /** A longer one is cut: it is compared with what is shorter, and says nothing of the limit. */
  cut?: boolean
  example?: string
}
type TextLimits = Pick<TextOptions, 'maxLength' | 'format' | 'pattern' | 'writeOnly' | 'cut'>

function checkSent(value: unknown, name: string, { limits: { cut } }: FieldOf<TextLimits>): string {
  if (typeof value !== 'string') throw fieldError(name, 'must be a string')
  if (value.length > charactersMax && !cut) throw fieldError(name, 'is too long')
  return value.slice(0, charactersMax)
}

/** No record stores it. */
const unstored = { column: 'text', operators: [], checkStored: () => undefined, isComparable: () => false } as const

const sentTextType: FieldType<TextLimits> = {
  ...unstored,
  name: 'text',
  scalar: 'String',
  check: checkSent,
  parse: checkSent,
  schema({ limits: { maxLength = charactersMax, format, pattern, writeOnly } }) {
    return {
      type: 'string',
      ...(format && { format }),
      maxLength,
      ...(writeOnly && { writeOnly }),
      ...(pattern && { pattern }),
    }
  },
}

const { required, description, example } = commonMembers
const textMembers = {
  required,
  description,
  example,
  maxLength: countKind,
  format: textKind,
  pattern: textKind,
  writeOnly: flag,
  cut: flag,
} satisfies Members<TextOptions>

type Unfilled = { kind: 'stored'; filled: false }

/** `sentText({ required: true, description: 'The e-mail address of the account.' })` */
export function sentText<const R extends boolean = false>(
  options?: TextOptions<R>,
): Field<ValueOf<string, R, undefined>, string, Unfilled> {
  const { known, mistakes } = takeOptions(options, textMembers)
  const { maxLength, format, pattern, writeOnly, cut, ...common } = known
  // Null is no text where a longer one is cut: what it stands for is asked for by leaving it out.
  const nullable = known.required !== true && cut !== true
  return makeField(sentTextType, {
    ...common,
    nullable,
    limits: { maxLength, format, pattern, writeOnly, cut },
    mistakes,
  })
}

type ValueOptions<R extends boolean = boolean> = RouteFieldOptions & {
  required?: R
  /**
   * A value that a request sends → the same. Throws `bad-request`. Without it every value passes.
   */
  check?: (value: unknown, name: string) => unknown
  example?: unknown
}
type ValueLimits = { readonly schema: JsonSchema; readonly check?: ValueOptions['check'] }

const valueType: FieldType<ValueLimits> = {
  ...unstored,
  name: 'embedded',
  scalar: null,
  check: (value, name, { limits }) => (limits.check ? limits.check(value, name) : value),
  parse: (text, name, { limits }) => (limits.check ? limits.check(text, name) : text),
  schema: ({ limits }) => limits.schema,
}

const valueMembers = {
  required,
  description,
  example: () => undefined,
  check: kindOf('a function', (value) => typeof value === 'function'),
} satisfies Members<ValueOptions>

/**
 * A value of any form: `value<readonly string[]>()({ type: 'array', description: 'Their names.' },
 * { required: true })`.
 */
export function value<V>() {
  return <const R extends boolean = false>(
    schema: JsonSchema,
    options?: ValueOptions<R>,
  ): Field<ValueOf<V, R, undefined>, string, Unfilled> => {
    const { known, mistakes } = takeOptions(options, valueMembers)
    const { check, ...common } = known
    return makeField(valueType, { ...common, limits: { schema, check }, mistakes } as never)
  }
}

/** Whether the check of the field says itself what is wrong where nothing is sent. */
export function judgesAbsence({ type, limits }: Field): boolean {
  return type === valueType && (limits as ValueLimits).check !== undefined
}
