/** Does pieces of work a few at once; the others wait in their order, as many as may. */

export type Turns = { take<T>(work: () => Promise<T>): Promise<T> }

type TurnLimits = { readonly workersMax: number; readonly waitingMax: number }

/** `refused`: the error for work that finds too many waiting. */
export function makeTurns({ workersMax, waitingMax }: TurnLimits, refused: () => Error): Turns {
  const waiting: (() => void)[] = []
  let working = 0
  return {
    async take(work) {
      if (working < workersMax) working += 1
      else {
        if (waiting.length >= waitingMax) throw refused()
        // The one before hands its place on, so it is counted already.
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else working -= 1
      }
    },
  }
}
