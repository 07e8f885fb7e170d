/**
 * Turns for reads that may take long: a few run at once, clients take turns however many reads each has waiting, and no client has all the
 * turns. Who has waited for too long, or is one too many, is refused; who has gone is dropped.
 */
import { clientHasLeft, tooManyReads } from './costly-reads.ts'
import type { Asker } from './storage.ts'

export type TurnLimits = {
  readonly atOnce: number
  /** Waiting reads, of one client and of all. */
  readonly waitingOfClientMax: number
  readonly waitingMax: number
  readonly waitMsMax: number
}

/** Give the turn back with it, once. */
export type EndTurn = () => void

export type FairQueue = {
  /** Resolves when it is this client's turn. Throws `unavailable`. */
  turn(asker: Asker): Promise<EndTurn>
  /** Refuses whoever waits, and whoever comes. */
  close(): void
}

type Waiting = { grant(): void; refuse(error: unknown): void }
type Line = { running: number; readonly waiting: Set<Waiting> }

export function makeFairQueue({ atOnce, waitingOfClientMax, waitingMax, waitMsMax }: TurnLimits): FairQueue {
  const ofClientMax = Math.max(1, atOnce - 1)
  /** By client; whoever had a turn moves to the end. */
  const lines = new Map<string, Line>()
  let running = 0
  let waiting = 0
  let closed = false

  function lineOf(client: string): Line {
    const line = lines.get(client) ?? { running: 0, waiting: new Set() }
    lines.set(client, line)
    return line
  }
  function tidy(client: string, line: Line): void {
    if (line.running === 0 && line.waiting.size === 0) lines.delete(client)
  }
  function begin(client: string, line: Line): EndTurn {
    running += 1
    line.running += 1
    lines.delete(client)
    lines.set(client, line)
    return () => {
      running -= 1
      line.running -= 1
      tidy(client, line)
      grantNext()
    }
  }
  function grantNext(): void {
    if (running >= atOnce || waiting === 0) return
    for (const line of lines.values()) {
      const [first] = line.waiting
      if (!first || line.running >= ofClientMax) continue
      first.grant()
      return
    }
  }

  function wait(asker: Asker, line: Line): Promise<EndTurn> {
    return new Promise((resolve, reject) => {
      let forget = () => {}
      const leave = () => {
        clearTimeout(timer)
        forget()
        line.waiting.delete(one)
        waiting -= 1
      }
      const one: Waiting = {
        grant() {
          leave()
          resolve(begin(asker.client, line))
        },
        refuse(error) {
          leave()
          tidy(asker.client, line)
          reject(error)
        },
      }
      const timer = setTimeout(() => one.refuse(tooManyReads()), waitMsMax)
      line.waiting.add(one)
      waiting += 1
      forget = asker.onLeft(() => one.refuse(clientHasLeft))
    })
  }

  return {
    async turn(asker) {
      if (asker.left()) throw clientHasLeft
      const line = lineOf(asker.client)
      if (!closed && running < atOnce && line.running < ofClientMax && line.waiting.size === 0)
        return begin(asker.client, line)
      if (!closed && waiting < waitingMax && line.waiting.size < waitingOfClientMax) return wait(asker, line)
      tidy(asker.client, line)
      throw tooManyReads()
    },
    close() {
      closed = true
      for (const line of [...lines.values()]) for (const one of [...line.waiting]) one.refuse(tooManyReads())
    },
  }
}
