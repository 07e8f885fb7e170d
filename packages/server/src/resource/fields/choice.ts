/**
 * The choice field, one of a few words, and the state field: a choice with transitions between its
 * words.
 */

import {
  earlierNamesKind,
  flag,
  functionKind,
  isTable,
  listOfKind,
  type MemberKind,
  type MemberProblem,
  type Members,
  objectOf,
  oneOrMore,
  tableOf,
  takeOptions,
  textKind,
} from '../members.ts'
import type { EarlierChoices } from './computed/earlier-values.ts'
import {
  type CommonOptions,
  commonMembers,
  type DefaultOf,
  type Field,
  type FieldType,
  fieldError,
  type HasDefault,
  makeField,
  operators,
  type ValueOf,
} from './field.ts'
import { isPlainText, parsePart, type TextLimits } from './text.ts'
import type { Expiry, Transition } from './transition.ts'

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

export type ChoiceOptions<
  V,
  R extends boolean = boolean,
  D = DefaultOf<V> | undefined,
  L extends string = string,
  Q extends string = string,
> = CommonOptions<R, D, V, EarlierChoices<V & string>, L, Q>
/** The former words that it takes, besides its former names. */
const earlierWord: MemberKind = (value, path, report) =>
  isTable(value) ? tableOf(textKind)(value, path, report) : earlierNamesKind(value, path, report)
export const choiceMembers = { ...commonMembers, renamedFrom: oneOrMore(earlierWord) } satisfies Members<
  ChoiceOptions<string>
>

export function wordsMistakes(values: unknown): MemberProblem[] {
  const mistakes: MemberProblem[] = []
  listOfKind(textKind)(values, 'values', (mistake) => mistakes.push(mistake))
  if (!Array.isArray(values) || mistakes.length > 0) return mistakes
  const twice = values.find((one, at) => values.indexOf(one) !== at)
  if (values.length === 0) return [{ path: 'values', problem: 'there must be one word at least', isFormRight: true }]
  return twice === undefined ? [] : [{ path: 'values', problem: `"${twice}" is there twice`, isFormRight: true }]
}

/**
 * One of a few words: `choice(['TOOL', 'TOY'], { default: 'TOOL' })`. It takes the options of every
 * field.
 */
export function choice<
  const V extends string,
  const R extends boolean = false,
  const D extends DefaultOf<V> | undefined = DefaultOf<V> | undefined,
  L extends string = never,
  Q extends string = never,
>(
  values: readonly V[],
  options?: ChoiceOptions<NoInfer<V>, R, D, L, Q>,
): Field<ValueOf<V, R, D>, string, { kind: 'stored'; filled: HasDefault<D>; roles: L; mentions: Q }> {
  const { known, mistakes } = takeOptions(options, choiceMembers)
  return makeField(choiceType, { ...known, values, mistakes: [...wordsMistakes(values), ...mistakes] })
}

type TransitionOf<V> = Transition & { readonly from: readonly V[]; readonly to: V }
type StateOptions<
  V,
  M extends string,
  R extends boolean = boolean,
  D = DefaultOf<V> | undefined,
  L extends string = string,
  Q extends string = string,
> = CommonOptions<R, D, V, EarlierChoices<V & string>, L, Q> & {
  /** Name → a transition between states. It is an action: `POST /orders/{id}/pay`. */
  transitions: Readonly<Record<M, TransitionOf<V>>>
  /** A transition that records take by themselves when they have waited too long. */
  expires?: Expiry & { readonly transition: NoInfer<M>; readonly from: readonly V[] }
}

const transitionMembers = {
  description: textKind,
  from: listOfKind(textKind),
  to: textKind,
  stamp: textKind,
  repeatable: flag,
} satisfies Members<Transition>
const expiryMembers = {
  transition: textKind,
  from: listOfKind(textKind),
  since: textKind,
  after: functionKind,
} satisfies Members<Expiry>
const stateMembers = {
  ...choiceMembers,
  expires: objectOf(expiryMembers, { needed: ['transition', 'from', 'since', 'after'] }),
  transitions: tableOf(objectOf(transitionMembers, { needed: ['from', 'to'] })),
} satisfies Members<StateOptions<string, string>>

/**
 * A state and the transitions between states. Each transition is an action of the resource and
 * needs a rule of its name under `access`: `state(['OPEN', 'DONE'], { default: 'OPEN', readOnly:
 * true, transitions: { close: { from: ['OPEN'], to: 'DONE' } } })`.
 */
export function state<
  const V extends string,
  const M extends string,
  const R extends boolean = false,
  const D extends DefaultOf<V> | undefined = DefaultOf<V> | undefined,
  L extends string = never,
  Q extends string = never,
>(
  values: readonly V[],
  options: StateOptions<NoInfer<V>, M, R, D, L, Q>,
): Field<V, M, { kind: 'stored'; filled: HasDefault<D>; roles: L; mentions: Q }> {
  const { known, mistakes } = takeOptions(options, stateMembers)
  const all = [...wordsMistakes(values), ...mistakes]
  if (!known.transitions && !all.some(({ path }) => path.startsWith('transitions')))
    all.push({ path: '', problem: 'a state needs transitions; without them it is a choice', isFormRight: true })
  return makeField(choiceType, { ...known, values, nullable: false, mistakes: all })
}
