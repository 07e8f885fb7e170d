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
    let type = ''
    let text: ReturnType<typeof makeTextCheck> | undefined
    const begin = async (head: Buffer) => {
      const found = await findType(head, checks)
      type = found.type
      text = found.isText ? makeTextCheck(name) : undefined
    }
    const counted = async function* () {
      for await (const chunk of source) {
        size += chunk.length
        if (size > limits.bytesMax) throw fileTooLarge(name, limits)
        yield chunk
      }
      if (size === 0) throw new ApiError('bad-request', `${name} has no bytes: send the bytes of a file`)
    }
    for await (const chunk of withHead(counted(), begin)) {
      hash.update(chunk)
      text?.next(chunk)
      yield chunk
    }
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

/** The same bytes. `begin` is given the first ones before any of them passes. */
async function* withHead(
  source: AsyncIterable<Buffer>,
  begin: (head: Buffer) => Promise<unknown>,
): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of source) {
    if (!head) {
      yield chunk
      continue
    }
    head = head.length === 0 && chunk.length >= headBytes ? chunk : Buffer.concat([head, chunk])
    if (head.length < headBytes) continue
    await begin(head)
    yield head
    head = undefined
  }
  if (!head || head.length === 0) return
  await begin(head)
  yield head
}

/**
 * The same bytes, of the beginning of a file of this size. They throw `unsupported-media-type` for
 * a type that the field does not take, as soon as there are enough of them. None of them has passed
 * by then. Fewer are not judged: a piece ends anywhere, also within a letter.
 */
export function checkHead(
  source: AsyncIterable<Buffer>,
  { size, ...checks }: ByteChecks & { readonly size: number },
): AsyncGenerator<Buffer> {
  return withHead(source, async (head) => {
    if (head.length >= Math.min(headBytes, size)) await findType(head, checks)
  })
}
