/** One of a few words, and the state of a record with the moves between its states. */
import {
  type CommonOptions,
  type Field,
  type FieldType,
  fieldError,
  type Move,
  makeField,
  operators,
  type ValueOf,
} from './field.ts'
import { isPlainText, parsePart, type TextLimits } from './text.ts'

function checkChoice(value: unknown, name: string, field: Pick<Field, 'values'>): string {
  const values = field.values ?? []
  if (typeof value !== 'string') throw fieldError(name, 'must be a string')
  if (!values.includes(value)) throw fieldError(name, `must be one of ${values.join(', ')}`)
  return value
}

export const choiceType: FieldType<TextLimits> = {
  name: 'choice',
  alsoReads: ['text'],
  column: 'text',
  operators,
  scalar: 'String',
  check: checkChoice,
  checkStored: checkChoice,
  isComparable: isPlainText,
  parse: checkChoice,
  parsePart,
  schema: (field) => ({ type: 'string', enum: field.values ?? [] }),
}

/** `choice(['USER', 'ADMIN'], { default: 'USER' })`. */
export function choice<const V extends string, const O extends CommonOptions>(
  values: readonly V[],
  options?: O,
): Field<ValueOf<V, O>> {
  return makeField(choiceType, { ...options, values })
}

type StateOptions<V extends string, M extends string> = CommonOptions & {
  moves: Readonly<Record<M, Move & { from: readonly V[]; to: V }>>
}

/**
 * A state and the moves between states. Each move is an action of the resource and needs a rule of its name under `access`: `state(['OPEN',
 * 'DONE'], { default: 'OPEN', readOnly: true, moves: { close: { from: ['OPEN'], to: 'DONE' } } })`.
 */
export function state<const V extends string, const M extends string>(
  values: readonly V[],
  options: StateOptions<NoInfer<V>, M>,
): Field<V, M> {
  return makeField(choiceType, { ...options, values, nullable: false }) as Field<V, M>
}
