/** Work on the one writing connection, one piece after another. */

export type Queue = <T>(work: () => Promise<T>) => Promise<T>

/** One after another, in the order of asking. */
export function makeQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const run = last.then(work, work)
    last = run.catch(() => undefined)
    return run
  }
}
