/**
 * The code of an application that began the present work, for errors that no code handles: a
 * promise that it left, a listener that threw. Such an error has no way back to its code.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

const places = new AsyncLocalStorage<string>()

/** `place`: what the log calls the code, such as `job.sendInvoice` or `endpoint count`. */
export function inCode<T>(place: string, work: () => T): T {
  return places.run(place, work)
}

/** Undefined where no code of the application began it. */
export function placeOfCode(): string | undefined {
  return places.getStore()
}
