/** Text. Lengths count characters (Unicode code points). */
import {
  type CommonOptions,
  type Field,
  type FieldLimits,
  type FieldType,
  fieldError,
  makeField,
  operators,
  type ValueOf,
} from './field.ts'

export const maxLengthDefault = 1000

function codePointCount(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

function checkText(value: unknown, name: string, field: Field): string {
  if (typeof value !== 'string') throw fieldError(name, 'must be a string')
  if (value.includes('\0')) throw fieldError(name, 'must not contain a NUL character')
  if (!value.isWellFormed()) throw fieldError(name, 'must not contain a lone surrogate')
  const max = field.limits.maxLength ?? maxLengthDefault
  if (value.length > max && codePointCount(value) > max) throw fieldError(name, `must be at most ${max} characters`)
  if (field.limits.format === 'email' && !/^[^\s@]+@[^\s@]+$/.test(value)) {
    throw fieldError(name, 'must be an email address')
  }
  return value
}

/** A part of a text need not look like the whole: `email[contains]=ann` is no address. */
export function parsePart(text: string, name: string, field: Field): string {
  const { format: _, ...limits } = field.limits
  return checkText(text, name, { ...field, limits })
}

export const textType: FieldType = {
  name: 'text',
  column: 'text',
  operators,
  scalar: 'String',
  check: checkText,
  checkStored: checkText,
  parse: checkText,
  parsePart,
  schema: (field) => ({
    type: 'string',
    maxLength: field.limits.maxLength ?? maxLengthDefault,
    ...(field.limits.format ? { format: field.limits.format } : {}),
  }),
}

type TextOptions = CommonOptions & {
  /** In characters. 1,000 unless said. */
  maxLength?: number
  format?: 'email'
}

/** `text({ required: true, maxLength: 200 })`. A required text that is blank is missing. */
export function text<const O extends TextOptions>(options?: O): Field<ValueOf<string, O>> {
  const { maxLength, format, ...common } = options ?? ({} as TextOptions)
  const limits: FieldLimits = { maxLength: maxLength ?? maxLengthDefault, format }
  return makeField(textType, { ...common, limits })
}
