/**
 * Checks the bytes of an upload while they pass: their number, their type, and their checksum. It
 * holds the first bytes back until their type is known, so nothing of a wrong type is stored.
 */
import { createHash } from 'node:crypto'
import { printBytes } from '../../base/print-bytes.ts'
import { ApiError } from '../../errors.ts'
import type { FileLimits } from '../../resource/fields/files/file-options.ts'
import { findType, headBytes, makeTextCheck } from './media-type.ts'

export type ByteFacts = { readonly size: number; readonly sha256: string; readonly type: string }

export type ByteChecks = {
  /** The field, for sentences. */
  readonly name: string
  readonly limits: FileLimits
  /** The type that the sender says. */
  readonly said: string | undefined
}

export type CheckedBytes = {
  readonly bytes: AsyncIterable<Buffer>
  /** Once all bytes have passed. */
  facts(): ByteFacts
}

export function fileTooLarge(name: string, { bytesMax }: FileLimits): ApiError {
  return new ApiError('too-large', `${name} takes files of at most ${printBytes(bytesMax)}`)
}

/** The bytes throw `too-large` and `unsupported-media-type` as soon as either is certain. */
export function checkBytes(source: AsyncIterable<Buffer>, checks: ByteChecks): CheckedBytes {
  const { name, limits } = checks
  const hash = createHash('sha256')
  let size = 0
  let facts: ByteFacts | undefined

  async function* checked(): AsyncGenerator<Buffer> {
    let head: Buffer[] | undefined = []
    let type = ''
    let text: ReturnType<typeof makeTextCheck> | undefined
    const begin = async function* () {
      const held = Buffer.concat(head ?? [])
      head = undefined
      const found = await findType(held, checks)
      type = found.type
      text = found.isText ? makeTextCheck(name) : undefined
      text?.next(held)
      if (held.length > 0) yield held
    }
    for await (const chunk of source) {
      size += chunk.length
      if (size > limits.bytesMax) throw fileTooLarge(name, limits)
      hash.update(chunk)
      if (!head) {
        text?.next(chunk)
        yield chunk
        continue
      }
      head.push(chunk)
      if (size >= headBytes) yield* begin()
    }
    if (size === 0) throw new ApiError('bad-request', `${name} has no bytes: send the bytes of a file`)
    if (head) yield* begin()
    text?.end()
    facts = { size, sha256: hash.digest('hex'), type }
  }
  return {
    bytes: checked(),
    facts() {
      if (!facts) throw new Error('the bytes have not passed')
      return facts
    },
  }
}

/**
 * The same bytes. They throw `unsupported-media-type` for a type that the field does not take, as
 * soon as there are enough of them. None of them has passed by then.
 */
export async function* checkHead(source: AsyncIterable<Buffer>, checks: ByteChecks): AsyncGenerator<Buffer> {
  const held: Buffer[] = []
  let bytes = 0
  for await (const chunk of source) {
    if (bytes >= headBytes) {
      yield chunk
      continue
    }
    held.push(chunk)
    bytes += chunk.length
    if (bytes < headBytes) continue
    const head = Buffer.concat(held.splice(0))
    await findType(head, checks)
    yield head
  }
  if (held.length > 0) yield Buffer.concat(held)
}
