/**
 * Devices that an account has logged in from. An attacker who knows an e-mail address can fail at
 * its log-in until all clients are locked out. Failures on a browser that has logged in before are
 * counted apart, by its signed cookie, which proves no identity. OWASP: "Slow Down Online Guessing
 * Attacks with Device Cookies".
 */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

const nonceBytes = 16

export type Devices = {
  /**
   * The name under which failures of this account on this device are counted. Undefined for no
   * cookie, an invented one, and one of another account: they are counted with all others of the
   * account. `sent`: one cookie or several, with spaces between.
   */
  countedAs(account: string, sent: string | undefined): string | undefined
  /** A cookie for an account that has just logged in; the one that it sent if that is good. */
  cookieOf(account: string, sent: string | undefined): string
}

/** The first secret signs, and all are accepted. `account` is the folded log-in name. */
export function makeDevices(secrets: readonly Buffer[]): Devices {
  const keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'bindery devices', 32)))
  const sign = (nonce: string, account: string, key: Buffer) =>
    createHmac('sha256', key).update(`${nonce} ${account}`).digest()

  function isGood(account: string, cookie: string): boolean {
    const [, nonce, mac] = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/.exec(cookie) ?? []
    if (nonce === undefined || mac === undefined) return false
    const sent = Buffer.from(mac, 'base64url')
    return keys.some((key) => timingSafeEqual(sign(nonce, account, key), sent))
  }

  /** The one of this account among those that were sent. */
  const goodOf = (account: string, sent = '') => sent.split(' ').find((cookie) => isGood(account, cookie))

  return {
    countedAs(account, sent) {
      const nonce = goodOf(account, sent)?.split('.')[0]
      return nonce === undefined ? undefined : `device ${nonce} ${account}`
    },
    cookieOf(account, sent) {
      const good = goodOf(account, sent)
      if (good !== undefined) return good
      const nonce = randomBytes(nonceBytes).toString('base64url')
      return `${nonce}.${sign(nonce, account, keys[0] as Buffer).toString('base64url')}`
    },
  }
}
