/**
 * Live pages: answers that are read again when a change may have altered them. Callers to whom one
 * answer is the same share each read, and get the difference.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { toApiError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { Changes } from '../../storage/changes.ts'
import { endPage, type PageGroup, type PageSubscription, readGroup } from './page-groups.ts'
import { printPage } from './page-state.ts'

export type LivePages = {
  /** Reads the page and sends it. Throws the errors of the read. */
  join(page: PageSubscription): Promise<void>
  /** Reads the page again, for a caller who has changed. */
  renew(page: PageSubscription): void
  leave(page: PageSubscription): void
}

type LivePagesDeps = {
  readonly changes: Pick<Changes, 'follow' | 'catchUp'>
  readonly report: (error: unknown) => void
}

const retryMs = 1_000

/** One work after the other. */
function makeTurns() {
  let last: Promise<unknown> = Promise.resolve()
  return (work: () => Promise<void>): Promise<void> => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
}

/** Reads groups again, all that were spoiled within a moment together. */
function makeRefresher(turn: (work: () => Promise<void>) => Promise<void>, report: LivePagesDeps['report']) {
  const dirty = new Set<PageGroup>()
  let isWorking = false

  async function work(): Promise<void> {
    if (isWorking) return
    isWorking = true
    while (dirty.size > 0) {
      await sleep(limits.live.coalesceMs)
      const groups = [...dirty]
      dirty.clear()
      for (const group of groups) await turn(() => readGroup(group, report)).catch(() => again(group))
    }
    isWorking = false
  }
  function again(group: PageGroup): void {
    setTimeout(() => spoil([group]), retryMs)
  }
  function spoil(groups: readonly PageGroup[]): void {
    for (const group of groups) dirty.add(group)
    if (dirty.size > 0) void work()
  }
  return spoil
}

/** Changes of other processes come when this one asks for them: while there are pages. */
function makeLooking({ catchUp }: Pick<Changes, 'catchUp'>, isNeeded: () => boolean): () => void {
  let isLooking = false
  async function look(): Promise<void> {
    isLooking = true
    while (isNeeded()) {
      await sleep(limits.live.lookMs)
      try {
        await catchUp()
      } catch {
        // reads report that the database is away
      }
    }
    isLooking = false
  }
  return () => {
    if (!isLooking) void look()
  }
}

export function makeLivePages({ changes, report }: LivePagesDeps): LivePages {
  const groups = new Map<string, PageGroup>()
  const groupOf = new Map<PageSubscription, PageGroup>()
  const turn = makeTurns()
  const spoil = makeRefresher(turn, report)
  const look = makeLooking(changes, () => groups.size > 0)
  changes.follow({
    apply(batch) {
      if (groups.size === 0) return
      const names = new Set(batch.map(({ resource }) => resource))
      spoil([...groups.values()].filter(({ restsOn }) => restsOn?.isDisjointFrom(names) !== true))
    },
    reset: () => spoil([...groups.values()]),
  })

  function leave(page: PageSubscription): void {
    const group = groupOf.get(page)
    groupOf.delete(page)
    group?.members.delete(page)
    if (group) dropEmpty(group)
  }
  function dropEmpty(group: PageGroup): void {
    if (group.members.size === 0 && groups.get(group.key) === group) groups.delete(group.key)
  }
  /** The first member reads. A later one gets the page of the group, which is read again. */
  async function enter(page: PageSubscription): Promise<void> {
    const key = page.key()
    const group = groups.get(key) ?? { key, restsOn: page.restsOn(), members: new Set(), last: undefined }
    // It is here before it reads: a change meanwhile lets it read again.
    groups.set(key, group)
    look()
    try {
      if (group.members.size > 0) await readGroup(group, report)
      if (group.members.size === 0 || !group.last) group.last = await page.read()
      groups.set(key, group)
      if (!page.stream.isOpen()) return
      group.members.add(page)
      groupOf.set(page, group)
      page.stream.send(printPage(group.last, { last: undefined, name: page.name }))
    } finally {
      dropEmpty(group)
    }
  }
  return {
    join: (page) => turn(() => enter(page)),
    renew(page) {
      const group = groupOf.get(page)
      if (!group) return
      if (page.key() === group.key) {
        group.restsOn = page.restsOn() // without a cache a page keeps its key
        return spoil([group])
      }
      leave(page)
      turn(() => enter(page)).catch((thrown) => endPage(page, toApiError(thrown)))
    },
    leave,
  }
}
