/**
 * The values that hooks prepare outside of a transaction for writes that share one: a batch, a
 * record with children. A write whose value is missing ends the transaction. The hooks of all that
 * were met run then, and the transaction begins again with their values.
 */
import type { Engine } from '../engine.ts'

/** Ends a transaction whose writes need prepared values. */
export class UnpreparedError extends Error {}

type Outcome = { readonly value: unknown } | { readonly error: unknown }

export type Preparations = {
  /** The part of the request that asks, such as the number of an operation. */
  readonly place: string
  /** Returns the value, or throws the error of its hook, or `UnpreparedError`. */
  take(place: string, make: () => Promise<unknown>): unknown
  /** The same for a part of this part. */
  within(place: string): Preparations
}

/** Hooks that run at once. */
const atOnce = 10

function makePreparations() {
  const known = new Map<string, Outcome>()
  let missing = new Map<string, () => Promise<unknown>>()
  const at = (place: string): Preparations => ({
    place,
    take(own, make) {
      const key = `${place} ${own}`
      const outcome = known.get(key)
      if (outcome === undefined) {
        missing.set(key, make)
        throw new UnpreparedError('the hooks of this write have not prepared it')
      }
      if ('error' in outcome) throw outcome.error
      return outcome.value
    },
    within: (inner) => at(`${place}/${inner}`),
  })
  return {
    root: at(''),
    async run(): Promise<void> {
      const waiting = [...missing]
      missing = new Map()
      const next = async (): Promise<void> => {
        for (let one = waiting.shift(); one; one = waiting.shift()) {
          const [key, make] = one
          known.set(
            key,
            await make().then(
              (value): Outcome => ({ value }),
              (error): Outcome => ({ error }),
            ),
          )
        }
      }
      await Promise.all(Array.from({ length: atOnce }, next))
    },
  }
}

/** Runs the work, which opens one transaction, again until all its writes are prepared. */
export async function withPreparations<T>(engine: Engine, work: (engine: Engine) => Promise<T>): Promise<T> {
  if (engine.preparations) return work(engine) // a part of a larger transaction
  const preparations = makePreparations()
  for (;;) {
    try {
      return await work({ ...engine, preparations: preparations.root })
    } catch (error) {
      if (!(error instanceof UnpreparedError)) throw error
      await preparations.run()
    }
  }
}

/** The engine of one part of the work. */
export function preparingAt(engine: Engine, place: string): Engine {
  return engine.preparations ? { ...engine, preparations: engine.preparations.within(place) } : engine
}

/**
 * Does all parts. Those after an unprepared one are tried too, so that their hooks run together.
 * Their errors do not count then: they are those of another state.
 */
export async function eachPart<P>(parts: Iterable<P>, work: (part: P) => Promise<void>): Promise<void> {
  let unprepared: UnpreparedError | undefined
  for (const part of parts) {
    try {
      await work(part)
    } catch (error) {
      if (error instanceof UnpreparedError) unprepared ??= error
      else if (!unprepared) throw error
    }
  }
  if (unprepared) throw unprepared
}
