/** Gives guarded code its records: their methods are work of the engine, outside of the guard. */
import type { GuardedCall } from './guarded-code.ts'

type Method = (...given: readonly unknown[]) => Promise<unknown>

/** Each step of a walk is work of the engine, and the code between them is not. */
function walked(walk: AsyncIterable<unknown>, call: GuardedCall): AsyncIterable<unknown> {
  return {
    [Symbol.asyncIterator]() {
      const steps = walk[Symbol.asyncIterator]()
      return {
        next: () => call.outside(() => steps.next()),
        return: async (value) => (await steps.return?.(value)) ?? { done: true, value },
      }
    },
  }
}

function outside(records: object, call: GuardedCall): object {
  const methods = Object.entries(records).map(([name, method]) => {
    if (name === 'each') return [name, (...given: readonly unknown[]) => walked(method(...given), call)]
    const run = (...given: readonly unknown[]) => call.outside(async () => (method as Method)(...given))
    return [name, run]
  })
  return Object.fromEntries(methods)
}

/** For `records(books)` and for the functions that it has, such as `records.as(author)`. */
export function guardedRecords<R extends (...given: never[]) => object>(records: R, call: GuardedCall): R {
  const guarded = (...given: Parameters<R>) => {
    const found = records(...given)
    return typeof found === 'function' ? guardedRecords(found as R, call) : outside(found, call)
  }
  const others = Object.entries(records).map(([name, one]) => [name, guardedRecords(one as R, call)])
  return Object.assign(guarded, Object.fromEntries(others)) as unknown as R
}
