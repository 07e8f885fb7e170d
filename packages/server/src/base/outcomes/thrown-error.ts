/**
 * A value that code of an application threw, as an error with texts. It may be any value, and its
 * members may be getters that throw. Then the log, and a batch of outcomes, would fail with it.
 */
import { inspect } from 'node:util'

const lengthMax = 10_000

/** Reading these must not throw: the log and the storages read them. */
function hasTexts(error: Error): boolean {
  const { message, stack, code } = error as Error & { readonly code?: unknown }
  return typeof message === 'string' && typeof (stack ?? '') === 'string' && typeof code !== 'symbol'
}

function textOf(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  try {
    return inspect(thrown, { breakLength: Number.POSITIVE_INFINITY, maxStringLength: lengthMax })
  } catch {
    return 'a value that cannot be printed'
  }
}

/** The same error where it has texts, and else one that names the value. Never throws. */
export function errorOf(thrown: unknown): Error {
  try {
    if (thrown instanceof Error && hasTexts(thrown)) return thrown
  } catch {
    // a getter of it threw
  }
  return new Error(textOf(thrown))
}
