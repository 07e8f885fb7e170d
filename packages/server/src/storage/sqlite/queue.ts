/** Runs work on the only writing connection, one piece at a time. */

export type Queue = <T>(work: () => Promise<T>) => Promise<T>

/** One after another, in the order of the calls. */
export function makeQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const run = last.then(work, work)
    last = run.catch(() => undefined)
    return run
  }
}
