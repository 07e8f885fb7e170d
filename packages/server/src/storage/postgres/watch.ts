/**
 * What other instances changed, as it happens: one connection listens (LISTEN, NOTIFY). What is cached is trusted only as long as the
 * listener is known to hear: this instance calls to itself a few times a second, by another connection. When its call does not come
 * back (a cut connection, a proxy that passes no notifications), nothing is trusted, and everybody reads.
 */
import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { Pools } from './pool.ts'

export const changesChannel = 'bindery'

const beatMs = 200
/** A change is seen everywhere within a second: what was heard is believed for so long. */
const trustedMsMax = 600
const reconnectMs = 250

export type Watch = {
  /** This process wrote: its caches are old at once. */
  wrote(): void
  /** Another number after each change, and at every call while nothing is heard. */
  stamp(): number
  end(): Promise<void>
}

export function startWatch(pools: Pools, url: string | undefined, report: (message: string) => void): Watch {
  const ownChannel = `bindery_${randomBytes(8).toString('hex')}`
  let stamp = 0
  let listener: pg.Client | undefined
  let heardMs = Number.NEGATIVE_INFINITY
  let told = true
  const startedMs = performance.now()
  let ended = false
  let timer: NodeJS.Timeout | undefined
  const calls = new Map<string, number>()
  const isTrusted = () => performance.now() - heardMs < trustedMsMax

  function hear({ channel, payload = '' }: pg.Notification): void {
    if (channel === changesChannel) stamp += 1
    const calledMs = channel === ownChannel ? calls.get(payload) : undefined
    if (calledMs === undefined) return
    calls.delete(payload)
    heardMs = Math.max(heardMs, calledMs)
    if (!told) report('Changes by other instances are heard again')
    told = true
  }

  async function listen(): Promise<void> {
    const one = await pools.connect(url)
    one.on('notification', hear)
    one.on('end', () => {
      if (listener === one) listener = undefined
      heardMs = Number.NEGATIVE_INFINITY
    })
    await one.query(`LISTEN ${changesChannel}; LISTEN ${ownChannel}`)
    stamp += 1 // what happened meanwhile was not heard
    listener = one
  }

  /** Never throws: what goes wrong shows in what is not heard. */
  async function beat(): Promise<void> {
    const call = String(performance.now())
    for (const [old, ms] of calls) if (performance.now() - ms > trustedMsMax) calls.delete(old)
    try {
      if (!listener) await listen()
      calls.set(call, performance.now())
      await pools.urgent.query('SELECT pg_notify($1, $2)', [ownChannel, call])
    } catch {
      calls.delete(call)
    }
    // A listener that has just begun has not had the time to hear itself.
    if (told && !isTrusted() && performance.now() - startedMs > trustedMsMax) {
      told = false
      report('Changes by other instances are not heard: nothing is served from memory until they are')
    }
  }

  async function live(): Promise<void> {
    await beat()
    if (!ended) timer = setTimeout(() => void live(), listener ? beatMs : reconnectMs)
  }
  const started = live()

  return {
    wrote() {
      stamp += 1
    },
    stamp() {
      if (!isTrusted()) stamp += 1
      return stamp
    },
    async end() {
      ended = true
      clearTimeout(timer)
      await started
      await listener?.end().catch(() => undefined)
    },
  }
}
