/**
 * Closes a listening port without resetting connections that wait to be accepted. It knows nothing
 * of requests. Figures: docs/decisions/0045.
 */
import { once } from 'node:events'
import { Server as NetServer } from 'node:net'
import { constants, getPriority, setPriority } from 'node:os'
import { stopListening } from '../node/undocumented-node.ts'

const turnsMax = 500
const turnsAwake = 10
const shortTurnMs = 0.02
const sleepMs = 2

/** Runs the closing code once on another port, so that it is compiled before it is needed. */
async function rehearse(): Promise<void> {
  const other = new NetServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  await stopListening(other)
}

/**
 * Raises the process priority where allowed (as root). While this process waits for a processor
 * between accepting and closing, clients still connect.
 */
async function withPriority(work: () => Promise<void>): Promise<void> {
  const before = getPriority()
  try {
    setPriority(constants.priority.PRIORITY_HIGHEST)
  } catch {
    return work()
  }
  await work()
  setPriority(before)
}

/**
 * Calls `run` when no connection is waiting to be accepted, since closing would reset it. A short
 * turn of the event loop accepted none, and hardly any can have arrived since. The sleep comes
 * first because the system rarely preempts a process that has just slept.
 */
async function onceAllAreAccepted(run: () => void): Promise<void> {
  await rehearse().catch(() => undefined) // the rehearsal only saves time
  await new Promise<void>((resolve) => {
    let turns = 0
    let sinceMs = 0
    function begin(): void {
      sinceMs = performance.now()
      setImmediate(endTurn)
    }
    function endTurn(): void {
      turns += 1
      if (performance.now() - sinceMs < shortTurnMs || turns === turnsMax) {
        run()
        resolve()
      } else if (turns % turnsAwake === 0) setTimeout(begin, sleepMs)
      else begin()
    }
    setTimeout(begin, sleepMs)
  })
}

/**
 * Stops listening. Returns at once with a promise inside: it resolves when every connection is
 * closed.
 */
export async function closePort(server: NetServer): Promise<{ readonly allClosed: Promise<void> }> {
  let allClosed: Promise<void> = Promise.resolve()
  await withPriority(() =>
    onceAllAreAccepted(() => {
      allClosed = stopListening(server)
    }),
  )
  return { allClosed }
}
