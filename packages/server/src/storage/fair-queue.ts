/**
 * A queue for reads that may take long. A few run at once, and clients take turns however many
 * reads each has waiting. A read that waits too long, or exceeds the limits, is refused. The queue
 * drops the reads of a client that disconnected.
 */
import { clientHasLeft, tooManyReads } from './costly-reads.ts'
import type { ReadClient } from './storage.ts'

export type FairQueueLimits = {
  readonly atOnce: number
  /** Limits of waiting reads, of one client and of all. */
  readonly waitingOfClientMax: number
  readonly waitingMax: number
  readonly waitMsMax: number
}

/** Returns the slot to the queue; call it once. */
export type ReleaseSlot = () => void

export type FairQueue = {
  /** Resolves when it is this client's turn. Throws `unavailable`. */
  turn(readClient: ReadClient): Promise<ReleaseSlot>
  /** Refuses all waiting and all later reads. */
  close(): void
}

type QueuedRequest = { grant(): void; refuse(error: unknown): void }
type ClientQueue = { running: number; readonly waiting: Set<QueuedRequest> }

export function makeFairQueue({ atOnce, waitingOfClientMax, waitingMax, waitMsMax }: FairQueueLimits): FairQueue {
  const ofClientMax = Math.max(1, atOnce - 1)
  /** By client, in the order of their turns: a client that had its turn moves to the end. */
  const lines = new Map<string, ClientQueue>()
  let running = 0
  let waiting = 0
  let closed = false

  function lineOf(client: string): ClientQueue {
    const line = lines.get(client) ?? { running: 0, waiting: new Set() }
    lines.set(client, line)
    return line
  }
  function tidy(client: string, line: ClientQueue): void {
    if (line.running === 0 && line.waiting.size === 0) lines.delete(client)
  }
  function begin(client: string, line: ClientQueue): ReleaseSlot {
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

  function wait(readClient: ReadClient, line: ClientQueue): Promise<ReleaseSlot> {
    return new Promise((resolve, reject) => {
      let forget = () => {}
      const leave = () => {
        clearTimeout(timer)
        forget()
        line.waiting.delete(one)
        waiting -= 1
      }
      const one: QueuedRequest = {
        grant() {
          leave()
          resolve(begin(readClient.client, line))
        },
        refuse(error) {
          leave()
          tidy(readClient.client, line)
          reject(error)
        },
      }
      const timer = setTimeout(() => one.refuse(tooManyReads()), waitMsMax)
      line.waiting.add(one)
      waiting += 1
      forget = readClient.onLeft(() => one.refuse(clientHasLeft))
    })
  }

  return {
    async turn(readClient) {
      if (readClient.left()) throw clientHasLeft
      const line = lineOf(readClient.client)
      if (!closed && running < atOnce && line.running < ofClientMax && line.waiting.size === 0)
        return begin(readClient.client, line)
      if (!closed && waiting < waitingMax && line.waiting.size < waitingOfClientMax) return wait(readClient, line)
      tidy(readClient.client, line)
      throw tooManyReads()
    },
    close() {
      closed = true
      for (const line of [...lines.values()]) for (const one of [...line.waiting]) one.refuse(tooManyReads())
    },
  }
}
