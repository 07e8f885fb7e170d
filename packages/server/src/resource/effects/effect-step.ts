/** The type of `step`, which keeps the results of the parts of an effect. */

/**
 * A value that JSON can say. `never` stands for one that it cannot: a `Date`, a `bigint`, a
 * function, an object with methods.
 */
export type JsonOf<T> = unknown extends T
  ? T
  : // biome-ignore lint/suspicious/noConfusingVoidType: work that returns nothing is void
    T extends string | number | boolean | null | undefined | void
    ? T
    : T extends (...given: never) => unknown
      ? never
      : T extends object
        ? { [K in keyof T]: JsonOf<T[K]> }
        : never

/**
 * `step('charge', () => …)`: does the work once, and keeps its result. A later try, also in another
 * process, is given the kept result. Its name is unique in the run; the result is JSON.
 */
export type RunStep = <T>(name: string, work: () => Promise<T & JsonOf<T>> | (T & JsonOf<T>)) => Promise<T>
