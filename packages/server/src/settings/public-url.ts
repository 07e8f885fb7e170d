/**
 * Parses `PUBLIC_URL`: the public address of the service, where it differs from that of its
 * requests.
 */
import { type Environment, fail } from '../base/environment.ts'
import { isLoopbackName } from '../base/host-name.ts'

/**
 * Without a trailing slash: `https://shop.example`. Undefined where it is not set. Throws
 * `StartError`.
 */
export function parsePublicUrl({ PUBLIC_URL: text }: Environment): string | undefined {
  if (text === undefined || text === '') return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url?.protocol === 'http:' && isLoopbackName(url.hostname)
  if (!url || (url.protocol !== 'https:' && !isPlain) || url.search || url.hash || url.username || url.password)
    fail(
      'PUBLIC_URL',
      `must be an address such as https://shop.example, with https beyond this machine; ${text} is none`,
    )
  return url.href.replace(/\/+$/, '')
}
