/**
 * Devices that an account has logged in from. Whoever knows an e-mail address can fail at its log-in until it is closed to everybody; a browser
 * that was let in before carries a signed cookie, and guesses under a count of its own (OWASP, "Slow Down Online Guessing Attacks with Device
 * Cookies"). The cookie proves no identity and opens nothing.
 */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

const nonceBytes = 16

export type Devices = {
  /**
   * The name under which failures of this account on this device are counted. Undefined for no cookie, an invented one, and one of another
   * account: they are counted with all others of the account.
   */
  countedAs(account: string, cookie: string | undefined): string | undefined
  /** A cookie for an account that has just been let in; the one that it sent if that is good. */
  cookieOf(account: string, sent: string | undefined): string
}

/** The first secret signs, and all are accepted. `account` is the folded log-in name. */
export function makeDevices(secrets: readonly Buffer[]): Devices {
  const keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'bindery devices', 32)))
  const sign = (nonce: string, account: string, key: Buffer) =>
    createHmac('sha256', key).update(`${nonce} ${account}`).digest()

  /** The random part of a good cookie. */
  function nonceOf(account: string, cookie = ''): string | undefined {
    const [, nonce, mac] = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/.exec(cookie) ?? []
    if (nonce === undefined || mac === undefined) return undefined
    const sent = Buffer.from(mac, 'base64url')
    return keys.some((key) => timingSafeEqual(sign(nonce, account, key), sent)) ? nonce : undefined
  }

  return {
    countedAs(account, cookie) {
      const nonce = nonceOf(account, cookie)
      return nonce === undefined ? undefined : `device ${nonce} ${account}`
    },
    cookieOf(account, sent) {
      if (sent !== undefined && nonceOf(account, sent) !== undefined) return sent
      const nonce = randomBytes(nonceBytes).toString('base64url')
      return `${nonce}.${sign(nonce, account, keys[0] as Buffer).toString('base64url')}`
    },
  }
}
