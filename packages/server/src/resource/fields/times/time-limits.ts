/** Limits of fields whose values are texts in the order of time: dates and times of day. */
import { fieldError } from '../field.ts'

export type TimeLimits = { readonly min?: string; readonly max?: string }

/** Throws `bad-request`. */
export function checkTimeLimits(value: string, name: string, { min, max }: TimeLimits): void {
  if (min !== undefined && value < min) throw fieldError(name, `must be ${min} or later`)
  if (max !== undefined && value > max) throw fieldError(name, `must be ${max} or earlier`)
}

/** For the schema: nothing where there are no limits. */
export function describeTimeLimits({ min, max }: TimeLimits): { readonly description?: string } {
  if (min !== undefined) return { description: max === undefined ? `${min} or later.` : `From ${min} to ${max}.` }
  return max === undefined ? {} : { description: `${max} or earlier.` }
}

export function timeLimitsMistake({ min, max }: TimeLimits): string | undefined {
  return min !== undefined && max !== undefined && min > max ? `min (${min}) is above max (${max})` : undefined
}
