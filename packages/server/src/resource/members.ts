/**
 * Checks the members of a declaration's objects. Each object type has a table that says which
 * values each member may have. The compiler compares type and table: an option in only one of them
 * does not compile.
 */
import { isTimeZone } from '../base/clock.ts'
import { didYouMean } from './words/nearest.ts'

/** `path` is the place in the declaration; an empty one is the object itself. */
export type MemberProblem = {
  readonly path: string
  readonly problem: string
  /** The value has the right form, so that other checks may still read it. */
  readonly isFormRight?: boolean
}
export type ReportMember = (mistake: MemberProblem) => void
/** The values that a member may have. */
export type MemberKind = (value: unknown, path: string, report: ReportMember) => void
/** Every member of an object with the values that it may have. */
export type Members<T> = { readonly [K in keyof Required<T>]: MemberKind }
type MemberKinds = Readonly<Record<string, MemberKind>>

/** A value as people wrote it, in a sentence: `"anyone"`, `5`, `a list`. */
export function printValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'function') return value.name === '' ? 'a function' : `the function ${value.name}`
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

/** Values that pass a test: `kindOf('true or false', (value) => typeof value === 'boolean')`. */
export function kindOf(what: string, test: (value: unknown) => boolean): MemberKind {
  return (value, path, report) => {
    if (!test(value)) report({ path, problem: `must be ${what}, and is ${printValue(value)}` })
  }
}

export const flag = kindOf('true or false', (value) => typeof value === 'boolean')
export const numberKind = kindOf('a number', (value) => typeof value === 'number' && Number.isFinite(value))
export const countKind = kindOf(
  'a whole number from 1',
  (value) => Number.isSafeInteger(value) && (value as number) >= 1,
)
export const countUpTo = (most: number) =>
  kindOf(
    `a whole number from 1 to ${most}`,
    (value) => Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= most,
  )
// A timer of Node that is to last for longer than 24 days ends at once.
export const limitMsKind = countUpTo(2_147_483_647)
export const timeoutKind = countUpTo(2_147_483)
export const zoneKind = kindOf(
  'a time zone such as Europe/Berlin',
  (value) => typeof value === 'string' && isTimeZone(value),
)
export const textKind = kindOf('a text', (value) => typeof value === 'string' && value !== '')
export const functionKind = kindOf('a function', (value) => typeof value === 'function')
export const scalarKind = kindOf('a text, a number, true or false', (value) =>
  ['string', 'number', 'boolean'].includes(typeof value),
)
/** A table of the declaration's own names: only its form is known here. */
export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Values by the names of fields. Whether each is a value of its field is asked later, when the
 * resource is known.
 */
export const exampleKind = kindOf('an object with values of fields', isTable)

export function oneOf(words: readonly string[]): MemberKind {
  return (value, path, report) => {
    if (words.includes(value as string)) return
    const near = typeof value === 'string' ? didYouMean(value, words) : `; there are ${words.join(', ')}`
    report({ path, problem: `cannot be ${printValue(value)}${near}` })
  }
}

export function listOfKind(kind: MemberKind): MemberKind {
  return (value, path, report) => {
    if (!Array.isArray(value)) return report({ path, problem: `must be a list, and is ${printValue(value)}` })
    for (const one of value) kind(one, path, report)
  }
}

/** One of a kind, or a list of them. */
export function oneOrMore(kind: MemberKind): MemberKind {
  const list = listOfKind(kind)
  return (value, path, report) => (Array.isArray(value) ? list : kind)(value, path, report)
}

/** Names that something had before. */
export const earlierNamesKind = oneOrMore(
  kindOf('the name that it had', (value) => typeof value === 'string' && value !== ''),
)

/** An object whose names the declaration chooses. */
export function tableOf(kind: MemberKind): MemberKind {
  return (value, path, report) => {
    if (!isTable(value)) return report({ path, problem: `must be an object, and is ${printValue(value)}` })
    for (const [name, one] of Object.entries(value)) kind(one, `${path}.${name}`, report)
  }
}

/** Members that had another name. */
const renamedMembers: Readonly<Record<string, string>> = {
  follow: 'onWrite',
  move: 'transition',
  moves: 'transitions',
  otherwise: 'message',
  was: 'renamedFrom',
}

function renamedWord(name: string, table: MemberKinds): string | undefined {
  const next = Object.hasOwn(renamedMembers, name) ? renamedMembers[name] : undefined
  return next !== undefined && Object.hasOwn(table, next) ? `${name} is called ${next} now` : undefined
}

type ObjectExpectation = {
  /** Members that must be there. */
  readonly needed?: readonly string[]
  /** The sentence calls them options instead of members. */
  readonly areOptions?: true
}

/**
 * Yields every mistake in the members of an object. A member that is undefined counts as absent.
 */
export function checkMembers(
  value: unknown,
  table: MemberKinds,
  {
    path,
    report,
    needed = [],
    areOptions,
  }: ObjectExpectation & { readonly path: string; readonly report: ReportMember },
): void {
  if (!isTable(value)) {
    report({ path, problem: `must be an object, and is ${printValue(value)}` })
    return
  }
  const inside = (name: string) => (path === '' ? name : `${path}.${name}`)
  for (const [name, one] of Object.entries(value)) {
    if (!Object.hasOwn(table, name)) {
      const unknown = `${areOptions ? 'no option' : 'no member'} "${name}"${didYouMean(name, Object.keys(table))}`
      report({ path, problem: renamedWord(name, table) ?? unknown, isFormRight: true })
    } else if (one !== undefined) table[name]?.(one, inside(name), report)
  }
  for (const name of needed) if (value[name] === undefined) report({ path, problem: `needs ${name}` })
}

/** The mistakes in the members of a declaration. `needed`: it must have these. */
export function mistakesIn(value: unknown, table: MemberKinds, needed: readonly string[]): MemberProblem[] {
  const mistakes: MemberProblem[] = []
  checkMembers(value, table, { path: '', report: (mistake) => mistakes.push(mistake), needed })
  return mistakes
}

export function objectOf(table: MemberKinds, expected: ObjectExpectation = {}): MemberKind {
  return (value, path, report) => checkMembers(value, table, { ...expected, path, report })
}

/** The right options of a call, and the mistakes in the others. */
export function takeOptions<O extends object>(
  options: O | undefined,
  table: Members<O>,
): { readonly known: Partial<O>; readonly mistakes: readonly MemberProblem[] } {
  const mistakes: MemberProblem[] = []
  const wrong = new Set<string>()
  const report = (mistake: MemberProblem) => {
    if (!mistake.isFormRight) wrong.add(mistake.path.split('.')[0] ?? '')
    // The field stands without the option, so other checks may look at it.
    mistakes.push({ ...mistake, isFormRight: true })
  }
  checkMembers(options === undefined ? {} : options, table, { path: '', report, areOptions: true })
  const entries = isTable(options) ? Object.entries(options) : []
  const known = entries.filter(([name, one]) => Object.hasOwn(table, name) && one !== undefined && !wrong.has(name))
  return { known: Object.fromEntries(known) as Partial<O>, mistakes }
}
