/** The function argon2id (RFC 9106): the runtime's own, or before Node 24.7, which has none, one of a package. Both compute the same. */
import * as crypto from 'node:crypto'
import { promisify } from 'node:util'

export type Cost = {
  /** KiB */
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
  /** Bytes. */
  readonly tagLength: number
}
type Tag = (password: string, salt: Buffer, cost: Cost) => Promise<Buffer>

const tagByRuntime: Tag = async (password, salt, cost) =>
  Buffer.from(await promisify(crypto.argon2)('argon2id', { message: Buffer.from(password), nonce: salt, ...cost }))

/** The package gives whole PHC strings, whose last part is the tag. */
export const tagByPackage: Tag = async (password, salt, { memory, passes, parallelism, tagLength }) => {
  const { hash } = await import('@node-rs/argon2')
  const options = { salt, memoryCost: memory, timeCost: passes, parallelism, outputLen: tagLength }
  const text = await hash(password, options)
  return Buffer.from(text.slice(text.lastIndexOf('$') + 1), 'base64')
}

/** Runs in the thread pool. */
export const tagOf: Tag = 'argon2' in crypto ? tagByRuntime : tagByPackage
