/**
 * Checks the `Host` header against the names of this server. A foreign page may point its own name
 * at this machine's address (DNS rebinding). Its browser then treats our responses as same-origin,
 * and only `Host` shows the name that it used.
 */
import type { IncomingMessage } from 'node:http'
import { hostNameOf, isLoopbackName } from '../base/host-name.ts'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'

/** How many spellings of the allowed names are cached: they differ in ports and letter case. */
const knownMax = 100

/**
 * Undefined where any name is allowed. The check throws `misdirected`. An empty `Host`, or none as
 * HTTP/1.0 allows, passes: no browser sends either. The host of an absolute request target is
 * ignored.
 */
export function makeCheckHost({ hosts }: Pick<Config, 'hosts'>): ((raw: IncomingMessage) => void) | undefined {
  if (!hosts) return undefined
  const names = new Set(hosts.names)
  const known = new Set<string>([''])
  let latest = '' // most requests name the same, and to compare takes less than to look it up
  return ({ headers: { host = '' } }) => {
    if (host === latest) return
    if (known.has(host)) {
      latest = host
      return
    }
    const name = hostNameOf(host)
    if (!names.has(name) && !(hosts.loopback && isLoopbackName(name)))
      throw new ApiError('misdirected', 'Host names another server; HOSTS has the names of this one')
    if (known.size < knownMax) known.add(host)
  }
}
