/**
 * The former names of functions for declarations. A call of one does not compile, and throws at
 * start with the present name.
 */

/** Its only argument type is the sentence, so that the compiler says it at each call. */
const refuse =
  <const S extends string>(sentence: S) =>
  (..._: readonly S[]): never => {
    throw new Error(sentence)
  }

/** @deprecated `either` is called `anyOf` now. */
export const either = refuse('either is called anyOf now')
/** @deprecated `machine` is called `apiKey` now. */
export const machine = refuse('machine is called apiKey now')
/** @deprecated `lookedUp` is called `lookup` now. */
export const lookedUp = refuse('lookedUp is called lookup now')
