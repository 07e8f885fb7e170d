/**
 * Live pages: answers that are read again when a change may have altered them. Callers to whom one
 * answer is the same share each read, and get what differs.
 */
import { ApiError, toApiError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { Changes } from '../../storage/changes.ts'
import { printEnd } from './live-reader.ts'
import type { LiveStream } from './live-stream.ts'
import { type PageState, printPage, type ReadPage } from './page-state.ts'

export type PageSubscription = {
  readonly stream: LiveStream
  /** Undefined where the stream has one. */
  readonly name: string | undefined
  /** Callers with the same key get the same answer. */
  key(): string
  /** The resources on which the answer depends; undefined: all. */
  readonly restsOn: ReadonlySet<string> | undefined
  readonly read: ReadPage
}

export type LivePages = {
  /** Reads the page and sends it. Throws what the read throws. */
  join(page: PageSubscription): Promise<void>
  /** Reads the page again, for a caller who has changed. */
  renew(page: PageSubscription): void
  leave(page: PageSubscription): void
}

type PageGroup = {
  readonly key: string
  readonly restsOn: PageSubscription['restsOn']
  readonly members: Set<PageSubscription>
  last: PageState | undefined
}

type LivePagesDeps = { readonly changes: Pick<Changes, 'follow' | 'catchUp'>; readonly report: (error: unknown) => void }

const retryMs = 1_000

function endPage({ stream }: PageSubscription, error: ApiError): void {
  stream.end(printEnd({ error: error.message, code: error.code }))
}

export function makeLivePages({ changes, report }: LivePagesDeps): LivePages {
  const groups = new Map<string, PageGroup>()
  const groupOf = new Map<PageSubscription, PageGroup>()
  const dirty = new Set<PageGroup>()
  let working = false
  let looking: NodeJS.Timeout | undefined
  /** One read after the other. */
  let turn: Promise<unknown> = Promise.resolve()

  function spoil(names: ReadonlySet<string> | undefined): void {
    for (const group of groups.values()) {
      const { restsOn } = group
      if (!names || !restsOn || !restsOn.isDisjointFrom(names)) dirty.add(group)
    }
    if (dirty.size > 0) void work()
  }
  changes.follow({
    apply(batch) {
      if (groups.size > 0) spoil(new Set(batch.map(({ resource }) => resource)))
    },
    reset: () => spoil(undefined),
  })

  /** The answer for one of the members; a member that may not read it ends. */
  async function readFor({ members }: PageGroup): Promise<PageState | undefined> {
    for (const member of members) {
      try {
        return await member.read()
      } catch (thrown) {
        const error = toApiError(thrown)
        if (error.code === 'unavailable' || error.code === 'too-many-requests') throw error
        if (error.code === 'internal') report(thrown)
        endPage(member, error)
      }
    }
    return undefined
  }
  async function readAgain(group: PageGroup): Promise<void> {
    const next = await readFor(group)
    if (!next) return
    const { last } = group
    group.last = next
    const texts = new Map<string | undefined, string>()
    for (const { stream, name } of group.members) {
      const text = texts.get(name) ?? printPage(next, { last, name })
      texts.set(name, text)
      if (text !== '') stream.send(text)
    }
  }
  async function work(): Promise<void> {
    if (working) return
    working = true
    while (dirty.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, limits.live.coalesceMs))
      const groupsNow = [...dirty]
      dirty.clear()
      for (const group of groupsNow) {
        turn = turn.then(() => readAgain(group)).catch(() => again(group))
        await turn
      }
    }
    working = false
  }
  function again(group: PageGroup): void {
    setTimeout(() => {
      if (group.members.size > 0) dirty.add(group)
      void work()
    }, retryMs)
  }
  /** Changes of other processes come when this one asks for them. */
  async function look(): Promise<void> {
    try {
      await changes.catchUp()
    } catch {
      // reads report that the database is away
    }
    looking = groups.size > 0 ? setTimeout(() => void look(), limits.live.lookMs) : undefined
  }
  function leave(page: PageSubscription): void {
    const group = groupOf.get(page)
    groupOf.delete(page)
    group?.members.delete(page)
    if (group && group.members.size === 0 && groups.get(group.key) === group) groups.delete(group.key)
  }
  /** The first member reads. A later one takes what the group has, once it has read again. */
  async function enter(page: PageSubscription): Promise<void> {
    const key = page.key()
    const group = groups.get(key) ?? { key, restsOn: page.restsOn, members: new Set(), last: undefined }
    groups.set(key, group)
    looking ??= setTimeout(() => void look(), limits.live.lookMs)
    try {
      if (group.members.size > 0) await readAgain(group)
      if (group.members.size === 0 || !group.last) group.last = await page.read()
    } catch (error) {
      if (group.members.size === 0 && groups.get(key) === group) groups.delete(key)
      throw error
    }
    groups.set(key, group)
    if (!page.stream.isOpen()) return void (group.members.size === 0 && groups.delete(key))
    group.members.add(page)
    groupOf.set(page, group)
    page.stream.send(printPage(group.last, { last: undefined, name: page.name }))
  }
  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = turn.then(work)
    turn = done.catch(() => undefined)
    return done
  }
  return {
    join: (page) => inTurn(() => enter(page)),
    renew(page) {
      const group = groupOf.get(page)
      if (!group) return
      if (page.key() === group.key) {
        dirty.add(group)
        return void work()
      }
      leave(page)
      inTurn(() => enter(page)).catch((thrown) => endPage(page, toApiError(thrown)))
    },
    leave,
  }
}
