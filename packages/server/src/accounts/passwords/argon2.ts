/** The function argon2id (RFC 9106), run in the thread pool. */
import { argon2 } from 'node:crypto'
import { promisify } from 'node:util'

export type HashCost = {
  /** KiB */
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
  /** Bytes. */
  readonly tagLength: number
}

export async function argon2Tag(password: string, salt: Buffer, cost: HashCost): Promise<Buffer> {
  return Buffer.from(await promisify(argon2)('argon2id', { message: Buffer.from(password), nonce: salt, ...cost }))
}
