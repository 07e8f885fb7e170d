/**
 * The former names of functions for declarations. A call of one does not compile, and throws at
 * start with the present name.
 */

const refuse = (sentence: string) => (): never => {
  throw new Error(sentence)
}

/** @deprecated `either` is called `anyOf` now. */
export const either: (..._: readonly 'either is called anyOf now'[]) => never = refuse('either is called anyOf now')
/** @deprecated `machine` is called `apiKey` now. */
export const machine: (..._: readonly 'machine is called apiKey now'[]) => never =
  refuse('machine is called apiKey now')
/** @deprecated `lookedUp` is called `lookup` now. */
export const lookedUp: (..._: readonly 'lookedUp is called lookup now'[]) => never = refuse(
  'lookedUp is called lookup now',
)
