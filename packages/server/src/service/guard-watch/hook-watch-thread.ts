/**
 * The thread that watches the event loop of a server. It writes to the log by itself, because the
 * server cannot: its thread is held.
 */
import { writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { beatAt, numbersIn } from '../../record/guard/code-in-hand.ts'
import type { HookWatchData } from './hook-watch.ts'

const lookMs = 500
const heldMs = 5_000

const { shared, isForPeople } = workerData as HookWatchData
const places: string[] = []
parentPort?.on('message', (place: string) => places.push(place))

function write(msg: string): void {
  const line = isForPeople ? `WARN: ${msg}` : JSON.stringify({ level: 'warn', time: new Date().toISOString(), msg })
  try {
    writeSync(1, `${line}\n`)
  } catch {
    // a full or closed pipe: the end of the hook is told too
  }
}

let beat = -1
let sinceMs = performance.now()
let isTold = false
setInterval(() => {
  const now = Atomics.load(shared, beatAt)
  if (now !== beat) {
    beat = now
    sinceMs = performance.now()
    isTold = false
    return
  }
  const ms = performance.now() - sinceMs
  if (isTold || ms < heldMs) return
  isTold = true
  const held = [...new Set(numbersIn(shared))].map((number) => places[number - 1] ?? 'a hook')
  if (held.length === 0) return
  const who = held.length === 1 ? held[0] : `One of ${held.join(', ')}`
  write(
    `${who} has held the process for ${Math.round(ms / 1000)} s without an await: nothing is answered until it returns`,
  )
}, lookMs)
