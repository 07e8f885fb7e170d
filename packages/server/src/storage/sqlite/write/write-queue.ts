/**
 * The queue for the only writing connection, in the order of the calls. Writes that wait together
 * form one group: they run in one transaction of SQLite, and settle after its one commit.
 */
import type { StorageMetrics } from '../../../observe/storage-metrics.ts'
import type { CommitGroup, GroupMember, IsolationNeed, WriteAttempt } from './commit-group.ts'

export type WriteQueue = {
  /**
   * Runs work in a transaction that it may share with others; the promise settles after the commit.
   * The work may run again from its beginning. So it must change nothing outside, and must stop
   * when its attempt closes. `isBehind`: waiting writes go first, also later ones.
   */
  write<T>(work: (attempt: WriteAttempt) => Promise<T>, isBehind?: boolean): Promise<T>
  /** Runs work outside of any transaction, after everything before it has settled. */
  outside<T>(work: () => Promise<T>): Promise<T>
  /** Whether other work waits for the running one. */
  isAwaited(): boolean
}

/** The most members of one group. */
const membersMax = 256
/**
 * No member joins a group later than this, so that the first one does not wait long for the commit.
 */
const joinedMsMax = 10
/** Work behind others waits no longer than this. */
const behindMsMax = 2_000
/** How long a group waits for as many members as the last one had. */
const gatheredMsMax = 1

type QueuedWrite = Omit<GroupMember, 'care'> & { readonly care: IsolationNeed | 'outside' }

const isMember = (entry: QueuedWrite | undefined): entry is GroupMember =>
  entry !== undefined && entry.care !== 'outside'

/**
 * Members that run when no other member waits, or after a long wait, or before work that must come
 * after all.
 */
function makeBehind() {
  let waiting: { readonly member: GroupMember; readonly sinceMs: number }[] = []
  return {
    add: (member: GroupMember) => void waiting.push({ member, sinceMs: performance.now() }),
    isWaiting: () => waiting.length > 0,
    takeBefore(next: QueuedWrite | undefined): GroupMember | undefined {
      const [first] = waiting
      if (!first || (isMember(next) && performance.now() - first.sinceMs < behindMsMax)) return undefined
      return waiting.shift()?.member
    },
    takeAll(): GroupMember[] {
      const members = waiting.map(({ member }) => member)
      waiting = []
      return members
    },
  }
}

/**
 * One after another; the first begins after all requests of this turn of the event loop have been
 * read.
 */
export function makeWriteQueue(group: CommitGroup, watch?: StorageMetrics): WriteQueue {
  const bind = watch?.statements.bind ?? (<T>(work: T) => work)
  let waiting: QueuedWrite[] = []
  const behind = makeBehind()
  let running = false
  /** The size of the last group, and the duration of the last commit. */
  const last = { size: 1, commitMs: 0 }
  let waitingSinceMs = 0

  /**
   * Whether a group should begin. Members that settled together usually write again together. The
   * first of them arrives slightly earlier: a commit for it alone would delay all others.
   */
  function isGathered(): boolean {
    const waitedMs = performance.now() - waitingSinceMs
    return waiting.length >= last.size || waitedMs >= Math.min(last.commitMs / 2, gatheredMsMax)
  }

  function takeAfter(first: GroupMember): () => GroupMember | undefined {
    let sinceMs: number | undefined
    let taken = 1
    return () => {
      sinceMs ??= performance.now()
      const [next] = waiting
      if (!isMember(next) || next.care !== first.care || next.care === 'alone') return undefined
      if (taken >= membersMax || performance.now() - sinceMs > joinedMsMax) return undefined
      taken += 1
      waiting.shift()
      return next
    }
  }

  /**
   * When no transaction can begin, all have waited for it: separate retries would delay the next
   * ones.
   */
  function refuse(error: unknown): void {
    const members = [...waiting.filter(isMember), ...behind.takeAll()]
    waiting = waiting.filter((entry) => !isMember(entry))
    for (const member of members) member.reject(error)
  }

  async function runNext(): Promise<void> {
    const first = behind.takeBefore(waiting[0]) ?? waiting.shift()
    if (isMember(first)) {
      const { size, again, refusal, committed } = await group.run(first, takeAfter(first))
      if (refusal === undefined) waiting = again.length > 0 ? [...again, ...waiting] : waiting
      else refuse(refusal)
      last.size = size
      void committed?.then((ms) => {
        last.commitMs = ms
        watch?.committed(size, ms)
      })
    } else if (first) {
      await group.settled()
      await first.run({ open: true, written: false })
    }
  }

  function turn(): void {
    if (!isGathered()) return void setImmediate(turn)
    // An error here is a bug, which the process logs: the waiting writes go on
    void runNext().finally(() => {
      running = waiting.length > 0 || behind.isWaiting()
      waitingSinceMs = performance.now()
      if (running) setImmediate(turn)
    })
  }

  function add(entry: QueuedWrite, isBehind = false): void {
    if (isBehind) behind.add(entry as GroupMember)
    else waiting.push(entry)
    if (running) return
    running = true
    waitingSinceMs = performance.now()
    setImmediate(turn)
  }

  return {
    write: (work, isBehind = false) =>
      new Promise((resolve, reject) => {
        const settle = { resolve: resolve as (value: unknown) => void, reject }
        add({ run: bind(work), ...settle, care: isBehind ? 'alone' : 'none' }, isBehind)
      }),
    outside: (work) =>
      new Promise((resolve, reject) => {
        add({ run: async () => work().then(resolve, reject), resolve: () => undefined, reject, care: 'outside' })
      }),
    isAwaited: () => waiting.length > 0,
  }
}
