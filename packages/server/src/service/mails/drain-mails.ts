/**
 * Mails that wait as records become work of the engine's own: those that an application leaves in its resource, and those of an instance of
 * an earlier version, whose lease of a mail is a time at which it is due again. Each is moved in one transaction.
 */
import { leaveWaiting, letterIn } from '../../accounts/owner-letters.ts'
import { timestampOf } from '../../base/clock.ts'
import { limits } from '../../limits.ts'
import type { Engine } from '../../perform/engine.ts'
import type { OutgoingMailMark } from '../../resource/accounts/identity-mark.ts'
import type { Marked } from '../../resource/catalog.ts'
import type { Scalar } from '../../resource/condition.ts'
import { serviceAuthor } from '../../storage/changes.ts'
import type { ListRequest } from '../../storage/storage.ts'

export type Drain = {
  /** Moves what is due. */
  now(): Promise<void>
  stop(): Promise<void>
}

/** The moment when records are looked at must say nothing of the request that left one. */
const sooner = { leastMs: 60, mostMs: 160 }
const atOnce = 100

type Mails = Marked<OutgoingMailMark>

/** Returns whether there may be more. */
async function moveSome({ records, storage, clock }: Engine, { resource, mark }: Mails): Promise<boolean> {
  const isDue = { kind: 'compare', field: mark.dueAt, operator: 'lte', value: timestampOf(clock()) } as const
  const request: ListRequest = { where: isDue, sort: [{ field: mark.dueAt, descending: false }], limit: atOnce }
  // Reads first: a transaction that writes nothing would still be in the way of others.
  if ((await storage.list(resource, { ...request, limit: 1 })).length === 0) return false
  return records.transaction(serviceAuthor, async (writing) => {
    const rows = await writing.lockAll(resource, request)
    for (const row of rows) await leaveWaiting(writing, letterIn(mark, row))
    const values = rows.map((row) => row[resource.idField] as Scalar)
    if (values.length > 0) await writing.removeWhere(resource, { kind: 'in', field: resource.idField, values })
    return rows.length === atOnce
  })
}

/** `report`: told of what failed; it is tried again. */
export function startDrain(engine: Engine, mails: Mails, report: (error: unknown) => void): Drain {
  let stopped = false
  let running: Promise<void> = Promise.resolve()
  let soon: NodeJS.Timeout | undefined

  async function moveAll(): Promise<void> {
    try {
      while (!stopped && (await moveSome(engine, mails)));
    } catch (error) {
      if (!stopped) report(error)
    }
  }
  function now(): Promise<void> {
    running = running.then(moveAll)
    return running
  }
  function lookSoon(): void {
    if (stopped || soon) return
    const waitMs = sooner.leastMs + Math.random() * (sooner.mostMs - sooner.leastMs)
    soon = setTimeout(() => {
      soon = undefined
      void now()
    }, waitMs)
    soon.unref()
  }

  engine.storage.changes.follow({
    apply(changes) {
      if (changes.some(({ resource, kind }) => resource === mails.resource.name && kind === 'insert')) lookSoon()
    },
    reset: lookSoon,
  })
  lookSoon() // what was left before this start
  const timer = setInterval(() => void now(), limits.effects.checkMs)
  timer.unref()
  return {
    now,
    async stop() {
      stopped = true
      clearInterval(timer)
      clearTimeout(soon)
      await running
    },
  }
}
