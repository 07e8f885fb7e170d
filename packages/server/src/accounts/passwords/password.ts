/**
 * Hashes and verifies passwords by argon2id (RFC 9106). Hashes are PHC strings, which hold their
 * own cost, so older ones stay valid after a change of cost.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { argon2Tag, type HashCost } from './argon2.ts'
import { makeHashLimiter } from './hash-limiter.ts'

/** OWASP, "Password Storage Cheat Sheet". */
const usualCost: HashCost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }
const saltBytes = 16

/** Whether the password matches the hash. Without a hash the answer is no, and takes as long. */
export type VerifyPassword = (password: string, stored: string | undefined) => Promise<boolean>

export type Passwords = {
  /**
   * A PHC string: `$argon2id$v=19$m=19456,t=2,p=1$salt$tag`. `first` runs when it is this caller's
   * turn and may throw, so that no time is spent on a hash that is no longer needed. Throws
   * `unavailable` when too many wait.
   */
  hash(password: string, first?: () => Promise<void>): Promise<string>
  /**
   * Runs the work in the queue of log-ins, when it is its turn. Other guesses cannot overtake the
   * counts that it makes before and after a guess.
   */
  inTurn<T>(work: (verify: VerifyPassword) => Promise<T>): Promise<T>
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

/** `cost`: of new hashes; those that are stored keep theirs. */
export function makePasswords(cost: HashCost = usualCost): Passwords {
  const lanes = makeHashLimiter()

  async function hash(password: string, first?: () => Promise<void>): Promise<string> {
    const salt = randomBytes(saltBytes)
    const tag = await lanes.others(async () => {
      await first?.()
      return argon2Tag(password, salt, cost)
    })
    const { memory, passes, parallelism } = cost
    return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`
  }

  const verify: VerifyPassword = async (password, stored) => {
    const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(stored ?? '')
    if (!match) {
      await argon2Tag(password, Buffer.alloc(saltBytes, 1), cost)
      return false
    }
    const tag = Buffer.from(match[5] as string, 'base64')
    const salt = Buffer.from(match[4] as string, 'base64')
    const own = {
      memory: Number(match[1]),
      passes: Number(match[2]),
      parallelism: Number(match[3]),
      tagLength: tag.length,
    }
    return timingSafeEqual(await argon2Tag(password, salt, own), tag)
  }

  return { hash, inTurn: (work) => lanes.logIns(() => work(verify)) }
}
