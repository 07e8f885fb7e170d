/**
 * Shares one read among callers that ask for the same thing at the same time. A caller that arrives
 * during a read waits for the next one, which begins after its request. So no caller gets rows from
 * before its request.
 */

export type ShareInFlight = <T>(key: string, read: () => Promise<T>) => Promise<T>

export function makeShareInFlight(): ShareInFlight {
  const running = new Map<string, Promise<unknown>>()
  const next = new Map<string, Promise<unknown>>()

  function begin<T>(key: string, read: () => Promise<T>): Promise<T> {
    const run = read()
    const done = run.then(
      () => undefined,
      () => undefined,
    )
    running.set(key, done)
    void done.then(() => running.get(key) === done && running.delete(key))
    return run
  }

  return <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const now = running.get(key)
    if (!now) return begin(key, read)
    let waiting = next.get(key) as Promise<T> | undefined
    if (!waiting) {
      waiting = now.then(() => {
        next.delete(key)
        return begin(key, read)
      })
      next.set(key, waiting)
    }
    return waiting
  }
}
