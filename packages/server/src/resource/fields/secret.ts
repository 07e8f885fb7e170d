/**
 * What is never shown. A password is checked here and hashed by `identity/` before it is stored; a token is made by the
 * engine on create, shown in that one answer, and stored as its hash.
 */
import { type CommonOptions, type Field, type FieldType, fieldError, makeField } from './field.ts'

/** What is stored is a hash, and says nothing of its own about the secret. */
function checkHash(value: unknown, name: string): void {
  if (typeof value !== 'string' || value === '') throw fieldError(name, 'must be a hash')
}

export const passwordType: FieldType = {
  name: 'password',
  column: 'text',
  operators: [],
  scalar: 'String',
  check(value, name, field) {
    if (typeof value !== 'string') throw fieldError(name, 'must be a string')
    if (value.includes('\0') || !value.isWellFormed()) throw fieldError(name, 'must be valid text')
    const { minBytes = 8, maxBytes = 1024 } = field.limits
    const bytes = Buffer.byteLength(value)
    if (bytes < minBytes || bytes > maxBytes) throw fieldError(name, `must have ${minBytes} to ${maxBytes} bytes`)
    return value
  },
  checkStored: checkHash,
  parse: (text, name, field) => passwordType.check(text, name, field),
  schema: () => ({ type: 'string', format: 'password', writeOnly: true }),
}

/** `password({ required: true })`: 8 to 1,024 bytes of UTF-8. */
export function password(options: CommonOptions = {}): Field<string> {
  const limits = { minBytes: 8, maxBytes: 1024 }
  return makeField(passwordType, { ...options, hidden: true, keepOnReplace: true, nullable: false, limits })
}

export const tokenType: FieldType = {
  name: 'token',
  column: 'text',
  operators: [],
  scalar: 'String',
  check(_value, name) {
    throw fieldError(name, 'is read-only')
  },
  checkStored: checkHash,
  parse(_text, name) {
    throw fieldError(name, 'is read-only')
  },
  schema: () => ({ type: 'string', readOnly: true, description: 'Shown once, in the answer that made it.' }),
}

/** `token({ prefix: 'bk_' })`: 256 random bits with a checksum, made on create and shown once. */
export function token(options: { prefix: string }): Field<string> {
  return makeField(tokenType, {
    setBy: 'engine',
    hidden: true,
    unique: true,
    nullable: false,
    limits: { prefix: options.prefix },
  })
}

/** A SHA-256 that the engine keeps and looks up by; never shown, never set by anybody. */
export function hash(): Field<string> {
  return makeField(tokenType, { setBy: 'engine', hidden: true, unique: true, nullable: false })
}
