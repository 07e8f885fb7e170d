/**
 * One environment variable: its row in the documents, and its parser. The parser returns a checked
 * value or throws one clear line that begins with the name.
 */
import { StartError } from '../errors.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** A variable: what `--help` and docs/reference/configuration.md list. */
export type Variable = {
  readonly name: string
  /** The form of its value, with the unit: `whole number, 1 to 64`. */
  readonly takes: string
  /** The default; empty where there is none. */
  readonly value: string
  readonly about: string
  /** Further sentences, in Markdown, for the page alone. */
  readonly more?: string
  /** Its value may stand in a file instead, which NAME_FILE names. */
  readonly isSecret?: true
}

/** The variables of one subject. */
export type VariableGroup = { readonly title: string; readonly variables: readonly Variable[] }

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

/**
 * `parseSpan('6h', /^(\d{1,4})([mhd])$/)` → milliseconds. `form` takes a count and a unit of these.
 * Undefined for any other text.
 */
export function parseSpan(text: string, form: RegExp): number | undefined {
  const [, count, unit] = form.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * unitMs[unit as keyof typeof unitMs]
}

/** `a, b` → `['a', 'b']` */
export function partsOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

export function fail(name: string, problem: string): never {
  throw new StartError(`${name} ${problem}`)
}

export function oneOf<const T extends string>(
  env: Environment,
  name: string,
  { values, otherwise }: { values: readonly T[]; otherwise: NoInfer<T> },
): T {
  const value = env[name]
  if (value === undefined || value === '') return otherwise
  if (!(values as readonly string[]).includes(value)) fail(name, `must be one of ${values.join(', ')}, not ${value}`)
  return value as T
}

export function isTrue(env: Environment, name: string, otherwise: 'true' | 'false'): boolean {
  return oneOf(env, name, { values: ['true', 'false'], otherwise }) === 'true'
}

export function wholeNumber(
  env: Environment,
  name: string,
  range: { readonly min: number; readonly max: number; readonly otherwise: number },
): number {
  const text = env[name]
  if (text === undefined || text === '') return range.otherwise
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= range.min && value <= range.max))
    fail(name, `must be a number from ${range.min} to ${range.max}, not ${text}`)
  return value
}
