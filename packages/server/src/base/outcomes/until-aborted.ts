/** Work that a signal ends, also where the work does not heed it. */

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** The result of the work. Rejects with the reason of the signal once it is aborted. */
export function untilAborted<T>(signal: AbortSignal, work: () => T | Promise<T>): Promise<T> {
  const run = Promise.resolve().then(work)
  run.catch(() => undefined) // it may fail after its time, when nothing waits for it any more
  return Promise.race([run, rejection(signal)])
}
