/**
 * Gathers the bytes of a body into one buffer, whatever the chunks in which they come, within what
 * all bodies may hold together.
 */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { ApiError } from '../../errors.ts'
import type { SharedBudget } from '../connections/shared-budget.ts'

/** A body that is not read yet. */
export type UnreadBody = {
  readonly stream: Readable
  /** What all bodies that are on their way hold. */
  readonly holding: SharedBudget<Readable>
  /** Asks a client for the body that it announced with `Expect: 100-continue`. */
  readonly invite?: (() => void) | undefined
}

export function tooLarge(bytesMax: number): ApiError {
  return new ApiError('too-large', `The body is larger than ${bytesMax} bytes`)
}

/**
 * What a body failed with: an error that we gave it, or that its client left in the middle of it.
 */
function bodyError(cause: unknown): ApiError {
  return cause instanceof ApiError ? cause : new ApiError('bad-request', 'The body ended too early', { cause })
}

const firstPageBytes = 4096
const pageBytes = 65_536

/**
 * Bytes that grow: `append` copies them into pages, so that a tiny chunk keeps nothing else alive,
 * and tells how much is held.
 */
export type GrowingBuffer = {
  size(): number
  append(chunk: Buffer): void
  /** What was appended since the last time. */
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
 * Lets the body flow into these until the function that it returns is called. The stream is not
 * destroyed: the request is still to be answered.
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

/**
 * A body that has arrived as a whole, which most small ones have by now: then nothing is copied,
 * and no clock runs.
 */
function arrived(stream: Readable, bytesMax: number): Buffer | undefined {
  const isWhole = (stream as Partial<IncomingMessage>).complete === true && stream.readableFlowing === null
  const { readableLength: length } = stream
  if (!isWhole || stream.destroyed || stream.readableEnded || length === 0 || length > bytesMax) return undefined
  return stream.read(length)
}

/**
 * Throws `too-large`, `timeout` when the body takes too long, `bad-request` when it ends too early,
 * and what `failBody` gave it.
 */
export function readWholeBody(
  { stream, holding, invite }: UnreadBody,
  { bytesMax, msMax }: GatherOptions,
): Promise<Buffer> {
  invite?.()
  const whole = arrived(stream, bytesMax)
  // The stream tells that it has ended in the next tick, before whoever asked goes on.
  if (whole) return new Promise((resolve) => process.nextTick(resolve, whole))
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
