/**
 * Copies the database's log to its place. Every second it copies a segment of what was written, and
 * periodically a full copy, so that old segments can be removed. A folder takes segments at once.
 * For a bucket, segments wait beside the database until they are uploaded in order.
 */
import { mkdirSync } from 'node:fs'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import type { OutgoingSettings } from '../../settings/outgoing-settings.ts'
import type { StoreSetting } from '../../settings/store-settings.ts'
import type { CopiesState, LogSink } from '../../storage/native-log.ts'
import { ownBucketFetch } from '../../stores/bucket-fetch.ts'
import { type ObjectStore, wholeObject } from '../../stores/object-store.ts'
import { loadEncryption } from '../age-package.ts'
import { kindOf } from '../backup-work.ts'
import { findSecrets } from '../drawn-secrets.ts'
import { captureInThread, packInThread } from '../in-thread.ts'
import { openBackupStore } from '../open-backup-store.ts'
import { inWorkFolder } from '../work-folder.ts'
import { aliveName, findExpired, logFolder, parseStreams, printBaseCopy, printSegment } from './log-names.ts'
import { openWaiting } from './waiting-copies.ts'

export type CopierOptions = {
  readonly kind: string
  readonly setup: unknown
  readonly store: StoreSetting
  /** For a bucket: its requests leave from this thread. */
  readonly outgoing: OutgoingSettings
  readonly to: readonly string[]
  readonly dataDir: string
  readonly bindery: string
  readonly keptMs: number
  readonly baseEveryMs: number
  readonly idleShare: number
  /** The limit of bytes that wait for a bucket. */
  readonly waitingBytesMax: number
}
export type Copier = {
  /** One round. Throws its error; call it again. */
  round(): Promise<CopyState>
  close(): Promise<void>
}
/**
 * `standby`: another process copies. Otherwise the time (milliseconds since 1970) before which all
 * acknowledged writes could be restored; undefined before there is a full copy.
 */
export type CopyState = 'standby' | { readonly untilMs: number | undefined }
export type ReportProgress = (level: 'info' | 'warn', text: string) => void

const aliveEveryMs = 5_000
const baseRetryMs = 60_000
const compress = promisify(zstdCompress)

async function packBytes(bytes: Buffer, to: readonly string[]): Promise<Buffer> {
  const packed = await compress(bytes)
  if (to.length === 0) return packed
  const { Encrypter } = await loadEncryption('BACKUP_TO')
  const encrypter = new Encrypter()
  for (const recipient of to) encrypter.addRecipient(recipient)
  return Buffer.from(await encrypter.encrypt(packed))
}

type LogCopierDeps = { readonly options: CopierOptions; readonly store: ObjectStore; readonly tell: ReportProgress }

/**
 * Files on their way: they go to their place, the oldest first. While the place cannot be reached
 * they wait, up to a limit.
 */
function makeWaiting(from: ObjectStore, { options, store, tell }: LogCopierDeps) {
  const { waitingBytesMax } = options
  let gaveUp = false

  async function moveOn(): Promise<void> {
    for (const { name } of await from.list(logFolder)) {
      await store.putBytes(name, await wholeObject(from, name))
      await from.remove(name)
    }
  }
  async function dropLarge(): Promise<void> {
    const waiting = await from.list(logFolder)
    if (waiting.reduce((sum, { bytes }) => sum + bytes, 0) <= waitingBytesMax) return
    for (const { name } of waiting) await from.remove(name)
    gaveUp = true
    const size = `${Math.round(waitingBytesMax / 1_000_000)} MB`
    const then = 'when the place can be reached again, a new whole copy is made'
    tell('warn', `The copies of the log that wait for ${store.name} were larger than ${size} and are given up: ${then}`)
  }
  return {
    async move(): Promise<void> {
      try {
        await moveOn()
      } catch (error) {
        await dropLarge()
        throw error
      }
    },
    gaveUp: () => gaveUp,
    /** Throws while the place cannot be reached. */
    async reach(): Promise<void> {
      await store.list(aliveName('')) // lists no stream: the shortest request
      gaveUp = false
    },
  }
}

/** Makes full copies, one at a time, while segments continue. */
function makeBases({ options, store, tell }: LogCopierDeps, copyNow: () => Promise<CopiesState | undefined>) {
  const { kind, setup, to, bindery, idleShare, dataDir } = options
  const stop = new AbortController()
  let running: Promise<void> | undefined
  let made: { readonly stream: string; readonly atMs: number } | undefined
  let failedMs = Number.NEGATIVE_INFINITY

  async function removeOld(stream: string): Promise<void> {
    if (made?.stream !== stream) return
    const streams = parseStreams((await store.list(logFolder)).map((one) => one.name))
    for (const old of findExpired(streams, Date.now() - options.keptMs, stream)) await store.remove(old)
  }
  async function make({ stream, number }: CopiesState): Promise<void> {
    await inWorkFolder(store.workFolder ?? dataDir, async (folder) => {
      const job = { part: 'capture', kind, setup, folder, idleShare } as const
      const captured = await captureInThread(job, stop.signal)
      // The copy is of some moment after `number`; with the log written up to now, it is consistent
      const now = await copyNow()
      if (now?.stream !== stream) return
      const secrets = to.length > 0 ? await findSecrets({ kind: kindOf(kind), setup }) : {}
      const packing = { part: 'pack', folder, captured, bindery, database: kind, secrets, to } as const
      const { file } = await packInThread(packing, stop.signal)
      const name = printBaseCopy(stream, { first: number + 1, right: now.number, untilMs: now.untilMs }, to.length > 0)
      await store.put(name, file, true)
      made = { stream, atMs: Date.now() }
      tell('info', `Copies of the log reach back to ${new Date(now.untilMs).toISOString()}: ${store.name}/${name}`)
    })
  }
  /** Reports an error, unless the service is stopping. */
  const warn = (what: string) => (error: Error) => {
    if (!stop.signal.aborted) tell('warn', `${what}: ${error.message}`)
  }
  return {
    /** Starts a full copy where the stream has none, or an old one. */
    look(state: CopiesState): void {
      const isDue = made?.stream !== state.stream || made.atMs < Date.now() - options.baseEveryMs
      if (!isDue || running || stop.signal.aborted || performance.now() - failedMs < baseRetryMs) return
      running = make(state)
        .then(
          () => removeOld(state.stream).catch(warn('Old copies of the log stay until the next whole one')),
          (error: Error) => {
            failedMs = performance.now()
            warn('No whole copy beneath the copies of the log')(error)
          },
        )
        .finally(() => {
          running = undefined
        })
    },
    has: (stream: string) => made?.stream === stream,
    /** A stream that another process began may have one already. */
    async know(stream: string): Promise<void> {
      const found = parseStreams((await store.list(logFolder)).map(({ name }) => name)).find(
        (one) => one.stream === stream,
      )
      const newest = found?.bases.at(-1)
      if (newest) made = { stream, atMs: newest.untilMs }
    },
    async close() {
      stop.abort(new Error('the service stops'))
      await running
    },
  }
}

/** Throws `StartError` when the place cannot be opened. */
export async function openCopier(options: CopierOptions, tell: ReportProgress): Promise<Copier> {
  const store = await openBackupStore(options.store, ownBucketFetch(options.outgoing))
  const isLocal = store.workFolder !== undefined
  const spool = isLocal ? store : openWaiting(options.dataDir)
  if (store.workFolder !== undefined) mkdirSync(store.workFolder, { recursive: true, mode: 0o700 })
  const keeper: LogSink = {
    begin: async (stream) => tell('info', `Copies of the log go to ${store.name}, stream ${stream}`),
    async keep(stream, { number, untilMs, bytes }) {
      const name = printSegment(stream, { number, untilMs }, options.to.length > 0)
      await spool.putBytes(name, await packBytes(bytes, options.to))
    },
  }
  const own = kindOf(options.kind).ownLog
  if (!own) throw new Error(`${options.kind} has no log to follow`)
  const follower = await own.follow(options.setup, keeper, (text) => tell('warn', text))
  let turn: Promise<unknown> = Promise.resolve()
  /** Runs calls one after another. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.catch(() => undefined).then(work)
    turn = result
    return result
  }
  const copyNow = () => inTurn(() => follower.look())
  const bases = makeBases({ options, store, tell }, copyNow)
  const waiting = makeWaiting(spool, { options, store, tell })
  let known: string | undefined
  let aliveMs = 0
  async function round(): Promise<CopyState> {
    if (waiting.gaveUp()) {
      await inTurn(() => follower.skip('their place could not be reached for too long'))
      await waiting.reach()
    }
    const state = await copyNow()
    if (!state) return 'standby'
    if (Date.now() - aliveMs >= aliveEveryMs) {
      const { number, untilMs } = state
      await spool.putBytes(aliveName(state.stream), Buffer.from(JSON.stringify({ number, untilMs })))
      aliveMs = Date.now()
    }
    if (!isLocal) await waiting.move()
    if (known !== state.stream) await bases.know(state.stream)
    known = state.stream
    bases.look(state)
    return { untilMs: bases.has(state.stream) ? state.untilMs : undefined }
  }
  return {
    round,
    async close() {
      await bases.close()
      aliveMs = 0
      await round().catch((error: Error) => tell('warn', `The last writes were not copied: ${error.message}`))
      follower.close()
    },
  }
}
