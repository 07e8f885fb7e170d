/**
 * The field of a manual order: the place of a record among those with the same value of another
 * field, or among all. The database has a key that sorts as the records do, and a move writes one
 * record alone. `record/places/` finds the key.
 */
import { isOrderKey, orderKeyLengthMax } from '../../../base/order-keys.ts'
import { type Members, takeOptions, textKind } from '../../members.ts'
import type { Rule } from '../../rule.ts'
import type { Deprecation } from '../../words/deprecation.ts'
import { commonMembers, type Field, type FieldType, fieldError, makeField } from '../field.ts'
import { parsePlace } from './place-change.ts'

type OrderLimits = { readonly within?: string }

const keyProblem = 'must be a key of the order, as it is shown'

/** Throws `bad-request`. */
function parseKey(value: unknown, name: string): string {
  if (!isOrderKey(value)) throw fieldError(name, keyProblem)
  return value
}

export const manualOrderType: FieldType<OrderLimits> = {
  name: 'manualOrder',
  column: 'text',
  operators: ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'null'],
  scalar: 'String',
  places: { within: ({ limits }) => limits.within },
  check: parsePlace,
  checkStored: parseKey,
  isComparable: isOrderKey,
  parse: parseKey,
  parseCell: (cell, name) => parseKey(cell.trim(), name),
  example: () => '8',
  schema: () => ({ type: 'string', pattern: '^[0-9a-f]{0,31}[1-9a-f]$', maxLength: orderKeyLengthMax }),
  bodySchema() {
    const at = (side: string) => ({
      type: 'object',
      required: [side],
      additionalProperties: false,
      properties: {
        [side]: { type: ['string', 'integer'], description: `The id of the record ${side} which it goes.` },
      },
    })
    const text = {
      type: 'string',
      maxLength: orderKeyLengthMax,
      description: '`first`, `last`, or a key as it is shown.',
    }
    return { anyOf: [text, at('before'), at('after')] }
  },
}

type ManualOrderOptions<L extends string = string, Q extends string = string> = {
  /** Each value of this field has an order of its own: `'listId'`. One for all without it. */
  within?: string
  /** The former name, or names, of the field. */
  renamedFrom?: string | readonly string[]
  /** The callers who may see it, as in every field. */
  read?: Rule<Q, Q, L>
  /** The callers who may move a record, as in every field. */
  write?: Rule<Q, Q, L>
  /** One sentence for the documents. */
  description?: string
  /** It is deprecated: the documents say since when, and what to use. */
  deprecated?: Deprecation
}
const members = {
  within: textKind,
  renamedFrom: commonMembers.renamedFrom,
  read: commonMembers.read,
  write: commonMembers.write,
  description: commonMembers.description,
  deprecated: commonMembers.deprecated,
} satisfies Members<ManualOrderOptions>

/**
 * The place of a record in an order that people make: `position: manualOrder({ within: 'listId'
 * })`. A new record comes last. `PATCH {"position": {"before": "<id>"}}` moves one, and so do
 * `after`, `"first"` and `"last"`. Its list has this order unless it declares another one.
 */
export function manualOrder<L extends string = never, Q extends string = never>(
  options?: ManualOrderOptions<L, Q>,
): Field<string, string, { kind: 'stored'; filled: true; roles: L; mentions: Q }> {
  const { known, mistakes } = takeOptions(options, members)
  const { within, ...common } = known as ManualOrderOptions
  return makeField(manualOrderType, {
    ...common,
    ...{ nullable: false, keepOnReplace: true, example: '8', mistakes },
    limits: within === undefined ? {} : { within },
  } as never)
}
