/**
 * Secret fields, which no response shows. A password is checked here, and `accounts/` hashes it
 * before it is stored. The engine makes a token on create, shows it in that one response, and
 * stores its hash. Other hashes are the engine's own.
 */

import { functionKind, kindOf, type Members, takeOptions } from '../members.ts'
import type { StoredRow } from './computed/earlier-values.ts'
import {
  type CommonOptions,
  commonMembers,
  type Default,
  type Field,
  type FieldType,
  fieldError,
  type Json,
  makeField,
} from './field.ts'
import { isPlainText } from './text.ts'

/** How long a password may be, in bytes of UTF-8. */
export const passwordBytes = { min: 8, max: 1024 } as const

/** Counted in bytes, since bytes are what is hashed. */
export function isPasswordLength(text: string): boolean {
  const bytes = Buffer.byteLength(text)
  return bytes >= passwordBytes.min && bytes <= passwordBytes.max
}

function checkPassword(value: unknown, name: string): string {
  if (typeof value !== 'string') throw fieldError(name, 'must be a string')
  if (!isPlainText(value)) throw fieldError(name, 'must be valid text')
  if (!isPasswordLength(value)) throw fieldError(name, `must have ${passwordBytes.min} to ${passwordBytes.max} bytes`)
  return value
}

/** The stored value is a hash, so nothing can be checked about the secret. */
const stored = {
  column: 'text',
  operators: [],
  scalar: 'String',
  checkStored(value: unknown, name: string) {
    if (typeof value !== 'string' || value === '') throw fieldError(name, 'must be a hash')
  },
  isComparable: () => false,
} as const

/**
 * Stored instead of a hash: no password matches it. So an account without a password has none until
 * its owner sets it.
 */
export const noPassword = '!'

export const passwordType: FieldType = {
  ...stored,
  name: 'password',
  secret: 'sent',
  withoutValue: noPassword,
  check: checkPassword,
  parse: checkPassword,
  schema: () => ({
    type: 'string',
    format: 'password',
    writeOnly: true,
    maxLength: passwordBytes.max,
    description: `${passwordBytes.min} to ${passwordBytes.max} bytes of UTF-8.`,
  }),
}

/** No response shows it, no filter finds by it, and a PUT that omits it keeps it. */
type PasswordOptions<L extends string = string, Q extends string = string> = Pick<
  CommonOptions<boolean, Default, Json, never, L, Q>,
  'required' | 'immutable' | 'readOnly' | 'write' | 'renamedFrom' | 'description'
> & {
  /** The stored hash for records without one: a record without a password has the hash `!`. */
  backfill?: (row: StoredRow) => string
}
const { required, immutable, readOnly, write, renamedFrom, description } = commonMembers
const passwordMembers = {
  required,
  immutable,
  readOnly,
  write,
  renamedFrom,
  description,
  backfill: functionKind,
} satisfies Members<PasswordOptions>

/** `password({ required: true })`: 8 to 1,024 bytes of UTF-8. */
export function password<L extends string = never, Q extends string = never>(
  options?: PasswordOptions<L, Q>,
): Field<string, string, { kind: 'secret'; filled: false; roles: L; mentions: Q }> {
  const { known, mistakes } = takeOptions(options, passwordMembers)
  return makeField(passwordType, { ...known, hidden: true, keepOnReplace: true, nullable: false, mistakes })
}

function refuse(_value: unknown, name: string): never {
  throw fieldError(name, 'is read-only')
}

type TokenLimits = { readonly prefix: string }

export const tokenType: FieldType<TokenLimits> = {
  ...stored,
  name: 'token',
  secret: 'made',
  check: refuse,
  parse: refuse,
  schema: ({ limits: { prefix } }) => ({
    type: 'string',
    readOnly: true,
    description: 'Shown once, in the answer that made it.',
    pattern: `^${prefix}`,
    maxLength: 200,
  }),
}

/** `prefix` is what every token begins with. */
type TokenOptions = {
  /** The names that it had. */
  renamedFrom?: CommonOptions['renamedFrom']
  /** The prefix of every token, by which people recognise its kind: `bk_`. */
  prefix: string
  /** One sentence for the documents. */
  description?: string
}
const tokenMembers = {
  renamedFrom,
  description,
  prefix: kindOf('letters, digits, - and _', (value) => typeof value === 'string' && /^[\w-]+$/.test(value)),
} satisfies Members<TokenOptions>

/** `token({ prefix: 'bk_' })`: 256 random bits with a checksum, made on create and shown once. */
export function token(options: TokenOptions): Field<string, string, { kind: 'secret'; filled: true }> {
  const { known, mistakes } = takeOptions(options, tokenMembers)
  const all = [...mistakes]
  if (options?.prefix === undefined) all.push({ path: '', problem: 'needs a prefix', isFormRight: true })
  const limits = { prefix: known.prefix ?? '' }
  return makeField(tokenType, {
    setBy: 'engine',
    hidden: true,
    unique: true,
    nullable: false,
    limits,
    renamedFrom: known.renamedFrom,
    description: known.description,
    mistakes: all,
  })
}

/** The prefix of the field's tokens; undefined when the field is not a token. */
export function prefixOf(field: Field): string | undefined {
  return field.type === tokenType ? (field.limits as TokenLimits).prefix : undefined
}

const signingSecretType: FieldType<TokenLimits> = { ...tokenType }

/** A secret with which the engine signs: it is shown once as tokens are, and stored encrypted. */
export function signingSecret(
  prefix: string,
  description: string,
): Field<string, string, { kind: 'secret'; filled: true }> {
  const limits = { prefix }
  return makeField(signingSecretType, {
    setBy: 'engine',
    hidden: true,
    nullable: false,
    limits,
    description,
    mistakes: [],
  })
}

const hashType: FieldType = {
  ...stored,
  name: 'hash',
  secret: 'kept',
  check: refuse,
  parse: refuse,
  schema: () => ({ type: 'string', readOnly: true }),
}

/** A SHA-256 that the engine stores and looks records up by. No caller reads or sets it. */
export function hash(): Field<string, string, { kind: 'secret'; filled: false }> {
  return makeField(hashType, { setBy: 'engine', hidden: true, unique: true, nullable: false })
}

const sealedType: FieldType = { ...hashType, name: 'sealed', secret: 'sealed' }

/**
 * The key that checks codes of a second factor, encrypted by the engine. No caller reads or sets
 * it.
 */
export function sealed(): Field<string, string, { kind: 'secret'; filled: false }> {
  return makeField(sealedType, { setBy: 'engine', hidden: true, nullable: false })
}
