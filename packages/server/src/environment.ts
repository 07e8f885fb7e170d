/**
 * One environment variable, whichever it is: how it is listed, and its text → a checked value, or one clear line that begins with its name.
 */
import { StartError } from './errors.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** A variable, its default and its meaning: what `--help` lists. */
export type Variable = { readonly name: string; readonly value: string; readonly about: string }

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

export type RateLimit = { readonly points: number; readonly windowSeconds: number }

/** `600/1m` → 600 points in 60 seconds. */
export function rateOf(env: Environment, name: string): RateLimit | undefined {
  const text = env[name]
  if (text === undefined || text === '') return undefined
  const match = /^(\d+)\/(\d*)([smh])$/.exec(text)
  const points = Number(match?.[1])
  const seconds = Number(match?.[2] || 1) * { s: 1, m: 60, h: 3600 }[(match?.[3] ?? 's') as 's' | 'm' | 'h']
  if (!match || points < 1 || seconds < 1) fail(name, `must look like 600/1m (s, m or h), not ${text}`)
  return { points, windowSeconds: seconds }
}

/** The same with a value for what is not set; `off` is none. */
export function rateOrOff(env: Environment, name: string, otherwise: string): RateLimit | undefined {
  return env[name] === 'off' ? undefined : rateOf({ [name]: env[name] || otherwise }, name)
}
