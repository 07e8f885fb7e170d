/**
 * The field of a UUID (RFC 9562) that other systems know a record by. One spelling is stored, in
 * lower case, so that equal UUIDs are equal texts. The order of UUIDs says nothing.
 */
import { randomUUID } from 'node:crypto'
import { isUuid } from '../../../base/ids.ts'
import { type Members, takeOptions } from '../../members.ts'
import {
  type CommonOptions,
  commonMembers,
  type DefaultOf,
  type Field,
  type FieldType,
  fieldError,
  type HasDefault,
  makeField,
  type ValueOf,
} from '../field.ts'
import { isPlainText } from '../text.ts'

/** Spellings of other systems, which are told apart so that the sentence says what to change. */
const spellings = [
  [/^urn:uuid:/i, 'must be a UUID without "urn:uuid:" before it'],
  [/^[{(].*[)}]$/, 'must be a UUID without braces'],
  [/^[0-9a-f]{32}$/i, 'must be a UUID with its four hyphens'],
] as const

/** Throws `bad-request`. */
function parseUuid(text: unknown, name: string): string {
  if (typeof text !== 'string') throw fieldError(name, 'must be a string')
  const uuid = text.toLowerCase()
  if (isUuid(uuid)) return uuid
  const other = spellings.find(([spelling]) => spelling.test(text))
  throw fieldError(name, other?.[1] ?? 'must be a UUID such as 01987c5e-7c1f-7a3b-9d42-3f5a6b7c8d9e')
}

export const uuidFieldType: FieldType = {
  name: 'uuid',
  column: 'text',
  operators: ['eq', 'ne', 'in', 'null'],
  scalar: 'ID',
  check: parseUuid,
  checkStored(value, name) {
    if (parseUuid(value, name) !== value) throw fieldError(name, 'must be a UUID in lower case')
  },
  isComparable: isPlainText,
  parse: parseUuid,
  parseCell: (cell, name) => parseUuid(cell.trim(), name),
  schema: () => ({ type: 'string', format: 'uuid', maxLength: 36 }),
}

type UuidOptions<
  R extends boolean = boolean,
  D = DefaultOf<string> | undefined,
  L extends string = string,
  Q extends string = string,
> = CommonOptions<R, D, string, never, L, Q> & {
  /**
   * `'random'`: the server makes a random UUID for each new record without one, and a PUT that
   * leaves it out keeps it. Or a UUID, or a function.
   */
  default?: D
}
const members = commonMembers satisfies Members<UuidOptions>

/**
 * A UUID of another system, or one that is made for it: `uuid({ default: 'random', unique: true
 * })`. The record's own id is an `id()`, and its id in another record a `reference()`.
 */
export function uuid<
  const R extends boolean = false,
  const D extends DefaultOf<string> | undefined = DefaultOf<string> | undefined,
  L extends string = never,
  Q extends string = never,
>(
  options?: UuidOptions<R, D, L, Q>,
): Field<ValueOf<string, R, D>, string, { kind: 'stored'; filled: HasDefault<D>; roles: L; mentions: Q }> {
  const { known, mistakes } = takeOptions(options, members)
  const isRandom = known.default === 'random'
  const random = { default: () => randomUUID(), keepOnReplace: true }
  return makeField(uuidFieldType, { ...known, ...(isRandom && random), mistakes } as never)
}
