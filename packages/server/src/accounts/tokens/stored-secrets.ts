/**
 * The stored text of the generated secrets of access tokens: one line each, the signing one first.
 * A replaced one says until when its tokens are good, so that users stay logged in: `SECRET
 * until=2026-01-31T12:00:00.000Z`. It stays after that time without signing or checking tokens,
 * because stored data that it sealed, such as keys of authenticator apps, must still open.
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

/** The secrets that are valid now. */
export function currentSecrets(text: string, nowMs: number): readonly string[] {
  return parseSecrets(text).flatMap(({ secret, untilMs }) => (untilMs > nowMs ? [secret] : []))
}
