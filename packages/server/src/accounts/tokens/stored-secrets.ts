/**
 * The generated secrets of access tokens as they are kept: a line each, the one that signs first.
 * One that was replaced says until when its tokens are good, so that nobody has to log in anew:
 * `SECRET until=2026-01-31T12:00:00.000Z`. It stays after that time, and signs and checks nothing:
 * what was sealed with it and is stored, such as the keys of authenticator apps, could not be
 * opened without it.
 */
import { timestampOf } from '../../base/clock.ts'

/** `untilMs`: Infinity for the one that signs. */
type StoredSecret = { readonly secret: string; readonly untilMs: number }

function parseSecrets(text: string): readonly StoredSecret[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [secret = '', until] = line.trim().split(' until=')
      return { secret, untilMs: until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until) }
    })
}

/**
 * The text with `drawn` as the one that signs. `graceMs`: how long tokens of the last one are good
 * from now on; 0: not at all.
 */
export function replaceSecret(
  text: string,
  drawn: string,
  { graceMs, nowMs }: { graceMs: number; nowMs: number },
): string {
  const untilMs = nowMs + graceMs
  const old = parseSecrets(text).map((one) => ({ ...one, untilMs: Math.min(one.untilMs, untilMs) }))
  return [drawn, ...old.map((one) => `${one.secret} until=${timestampOf(one.untilMs)}`)].join('\n')
}

/** All that ever signed, today's first. */
export function allSecrets(text: string): readonly string[] {
  return parseSecrets(text).map(({ secret }) => secret)
}

/** Those that count now. */
export function currentSecrets(text: string, nowMs: number): readonly string[] {
  return parseSecrets(text).flatMap(({ secret, untilMs }) => (untilMs > nowMs ? [secret] : []))
}
