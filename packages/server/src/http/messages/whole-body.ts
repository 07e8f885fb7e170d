/**
 * Gathers the chunks of a request body into one buffer, within a memory budget that all bodies
 * share.
 */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { ApiError } from '../../errors.ts'
import type { SharedBudget } from '../connections/shared-budget.ts'
import { LateBodyError } from './late-body.ts'

/** A body that has not been read. */
export type UnreadBody = {
  readonly stream: Readable
  /** The budget of all bodies that are arriving. */
  readonly holding: SharedBudget<Readable>
  /** Asks a client for the body that it announced with `Expect: 100-continue`. */
  readonly invite?: (() => void) | undefined
  /** The bytes of a body that came late, in the second handling of its request. */
  readonly late?: Buffer
}

export function tooLarge(bytesMax: number): ApiError {
  return new ApiError('too-large', `The body is larger than ${bytesMax} bytes`)
}

/**
 * The error of a body: one that this server set, or the client's disconnect in the middle of it.
 */
function bodyError(cause: unknown): ApiError {
  return cause instanceof ApiError ? cause : new ApiError('bad-request', 'The body ended too early', { cause })
}

const firstPageBytes = 4096
const pageBytes = 65_536

/**
 * A growing buffer. `append` copies bytes into pages, so that a tiny chunk keeps no larger buffer
 * in memory, and returns the size.
 */
export type GrowingBuffer = {
  size(): number
  append(chunk: Buffer): void
  /** The bytes that were appended since the last call. */
  take(): Buffer
}

export function makeGrowingBuffer(holds: (bytes: number) => void): GrowingBuffer {
  let pages: Buffer[] = []
  let held = 0
  let size = 0
  return {
    size: () => size,
    append(chunk) {
      for (let at = 0; at < chunk.length; ) {
        if (size === held) {
          const page = Buffer.allocUnsafeSlow(held === 0 ? firstPageBytes : pageBytes)
          pages.push(page)
          held += page.length
          holds(held)
        }
        const page = pages.at(-1) as Buffer
        const copied = chunk.copy(page, page.length - (held - size), at)
        at += copied
        size += copied
      }
    },
    take() {
      const bytes = Buffer.concat(pages, size)
      pages = []
      held = 0
      size = 0
      holds(0)
      return bytes
    },
  }
}

type BodyListeners = {
  readonly data: (chunk: Buffer) => void
  readonly end: () => void
  readonly failed: (error: ApiError) => void
}

/**
 * Sends the body to these listeners until the returned function is called. The stream is not
 * destroyed, because the request is still to be answered.
 */
export function listenToBody(stream: Readable, { data, end, failed }: BodyListeners): () => void {
  const onError = (error: unknown) => failed(bodyError(error))
  const onClose = () => failed(bodyError(undefined))
  const stop = () => {
    stream.off('data', data).off('end', end).off('error', onError).off('close', onClose)
    stream.pause()
  }
  if (stream.errored || stream.destroyed) process.nextTick(onError, stream.errored)
  else stream.on('data', data).on('end', end).on('error', onError).on('close', onClose)
  return stop
}

export type GatherOptions = { readonly bytesMax: number; readonly msMax: number }

/** A body that has arrived whole, as most small ones have by now. It needs no copy and no timer. */
function arrived(stream: Readable, bytesMax: number): Buffer | undefined {
  const isWhole = (stream as Partial<IncomingMessage>).complete === true && stream.readableFlowing === null
  const { readableLength: length } = stream
  if (!isWhole || stream.destroyed || stream.readableEnded || length === 0 || length > bytesMax) return undefined
  return stream.read(length)
}

/**
 * Throws `LateBodyError` with the bytes, unless the body is whole by now: the request is then
 * handled again. Throws `too-large`, `timeout` when the body takes too long, `bad-request` when it
 * ends early, and the error that `failBody` set.
 */
export function readWholeBody(body: UnreadBody, options: GatherOptions): Promise<Buffer> {
  if (!body.late) body.invite?.()
  const whole = body.late ?? arrived(body.stream, options.bytesMax)
  // The stream emits its end in the next tick, before the caller continues.
  if (whole) return new Promise((resolve) => process.nextTick(resolve, whole))
  return gather(body, options).then((bytes) => {
    throw new LateBodyError(bytes)
  })
}

function gather({ stream, holding }: UnreadBody, { bytesMax, msMax }: GatherOptions): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const growing = makeGrowingBuffer((bytes) => holding.hold(stream, bytes))
  const settle = (run: () => void) => {
    clearTimeout(timer)
    stop()
    run()
    holding.release(stream)
  }
  const failed = (error: ApiError) => settle(() => reject(error))
  const timer = setTimeout(() => failed(new ApiError('timeout', 'The body did not arrive in time')), msMax)
  const stop = listenToBody(stream, {
    data(chunk) {
      if (growing.size() + chunk.length > bytesMax) failed(tooLarge(bytesMax))
      else growing.append(chunk)
    },
    end: () => settle(() => resolve(growing.take())),
    failed,
  })
  return promise
}
