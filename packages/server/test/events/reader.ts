/**
 * A reader of the feed for tests. It reads its list once, folds events into it, and checks each
 * event against what it knows: none comes twice, and none in another order.
 */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { Ask, AskOptions, TestResponse } from 'bindery-server/test'

type Shown = Readonly<Record<string, unknown>>
export type FeedEvent = {
  readonly type: 'enter' | 'change' | 'leave' | 'delete'
  readonly resource: string
  readonly id: string
  readonly version?: number
  readonly record?: Shown
  readonly before?: Shown
  readonly transaction: string
  readonly last?: true
  readonly position?: string
  readonly requestId?: string
}

export type ReaderOptions = {
  readonly ask: Ask
  readonly as: AskOptions
  /** `notes` */
  readonly resource: string
  /** Filters of the list: `state=OPEN`. */
  readonly filter?: string
  /** The fields that the feed shows. */
  readonly names: readonly string[]
  /** Reads lines, and waits for them. */
  readonly lines?: boolean
  /** Runs the start anew while no writer writes: the list has later changes than the position. */
  readonly quietly?: (work: () => Promise<void>) => Promise<void>
}

export type TestReader = {
  /** Takes a position, and reads the list. */
  begin(): Promise<void>
  /** One page of events. Begins anew on a 410, and returns false. */
  read(limit?: number): Promise<boolean>
  /** All that there is. */
  catchUp(): Promise<void>
  /** Throws where the folded table is not the list. */
  check(words?: string): Promise<void>
  /** How many events it has had. */
  count(): number
  /** By the ids. */
  readonly table: ReadonlyMap<string, Shown>
  /** Why it began anew, each time. */
  losses(): readonly string[]
}

/** A reader that fails shows what it had of that record, among so many of its last events. */
const eventsShown = 1_000

export function makeReader(options: ReaderOptions): TestReader {
  const { ask, as, resource, filter = '', names, lines = false, quietly = (work) => work() } = options
  const table = new Map<string, Shown>()
  const lastEvents: FeedEvent[] = []
  let count = 0
  let position = ''
  const losses: string[] = []
  let reads = 0
  let began = ''
  const and = filter === '' ? '' : `&${filter}`

  async function listed(): Promise<Map<string, Shown>> {
    const rows = new Map<string, Shown>()
    for (let page = 1; ; page += 1) {
      const reply = await ask('GET', `/api/v1/${resource}?limit=100&page=${page}${and}`, as)
      assert.equal(reply.status, 200, reply.text)
      for (const row of reply.body.data as Shown[])
        rows.set(
          String(row.id),
          Object.fromEntries(names.filter((name) => name in row).map((name) => [name, row[name]])),
        )
      if (reply.body.data.length < 100) return rows
    }
  }
  async function changes(query: string): Promise<TestResponse> {
    return ask('GET', `/api/v1/_changes?resources=${resource}${and}${query}`, as)
  }
  /** As a page has them. */
  async function changesInLines(query: string): Promise<TestResponse> {
    const headers = { ...as.headers, accept: 'application/x-ndjson' }
    const reply = await ask('GET', `/api/v1/_changes?resources=${resource}${and}${query}&wait=1`, { ...as, headers })
    if (reply.status !== 200) return reply
    const all = reply.text.trim().split('\n').map((line) => JSON.parse(line)) // biome-ignore format: one line
    return { ...reply, body: { data: all.slice(0, -1), meta: all.at(-1) } }
  }
  async function begin(): Promise<void> {
    const reply = await changes('')
    assert.equal(reply.status, 200, reply.text)
    position = reply.body.meta.position
    table.clear()
    began = new Date().toISOString()
    for (const [id, row] of await listed()) table.set(id, row)
  }
  function fold(event: FeedEvent): void {
    const { type, id } = event
    const words = () => JSON.stringify(event)
    const known = table.get(id)
    if ((known !== undefined) !== (type !== 'enter')) {
      const earlier = JSON.stringify(lastEvents.filter((one) => one.id === id))
      assert.fail(`known before: ${words()} ${JSON.stringify(known)}, earlier ${earlier} reads ${reads} began ${began}`)
    }
    if (type === 'leave' || type === 'delete') return void table.delete(id)
    if (!event.record) assert.fail(words())
    if (type === 'change') {
      const { before = {} } = event
      const was = Object.fromEntries(Object.keys(before).map((name) => [name, known?.[name] ?? null]))
      if (!isDeepStrictEqual(was, before)) assert.deepEqual(was, before, `the values before: ${words()}`)
      if (isDeepStrictEqual(event.record, known)) assert.fail(`nothing changed: ${words()}`)
    }
    table.set(id, event.record)
  }
  async function read(limit = 100): Promise<boolean> {
    const reply = await (lines ? changesInLines : changes)(`&after=${position}&limit=${limit}`)
    if (reply.status === 410) {
      losses.push(reply.body.error)
      await quietly(begin)
      return false
    }
    // A reader who names a tenant that it has left is refused, and goes on when it is back.
    if (reply.status === 404) return false
    assert.equal(reply.status, 200, reply.text)
    const page = reply.body.data as FeedEvent[]
    for (const event of page) {
      fold(event)
      lastEvents.push(event)
    }
    count += page.length
    lastEvents.splice(0, lastEvents.length - eventsShown)
    reads += 1
    assert.ok(page.length === 0 || page.at(-1)?.last, 'a page ends with a whole transaction')
    position = reply.body.meta.position
    return reply.body.meta.hasMore
  }
  return {
    begin,
    read,
    async catchUp() {
      while (await read());
    },
    async check(words = '') {
      const refused = await ask('GET', `/api/v1/${resource}?limit=1${and}`, as)
      if (refused.status === 404) return
      const rows = await listed()
      assert.deepEqual(Object.fromEntries([...table].sort()), Object.fromEntries([...rows].sort()), words)
    },
    count: () => count,
    table,
    losses: () => losses,
  }
}

/**
 * Waits until the feed has all that was written before. On PostgreSQL any open transaction holds
 * later changes back, also one of another test. The mark is a project that the administrator sees.
 */
export function makeSettle(ask: Ask, admin: AskOptions, slug = 'projects', values = {}): () => Promise<void> {
  const read = (more: string) => ask('GET', `/api/v1/_changes?resources=${slug}${more}`, admin)
  return async () => {
    let { position } = (await read('')).body.meta
    const { body } = await ask('POST', `/api/v1/${slug}`, { body: values, ...admin })
    for (let tries = 0; tries < 10; tries += 1) {
      const reply = await read(`&after=${position}&wait=20&limit=1000`)
      assert.equal(reply.status, 200, reply.text)
      if ((reply.body.data as FeedEvent[]).some(({ id }) => id === body.id)) return
      position = reply.body.meta.position
    }
    assert.fail('the changes are not settled')
  }
}
