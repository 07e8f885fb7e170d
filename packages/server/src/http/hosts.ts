/**
 * The names under which this server answers. A page of another site may give its own name this
 * machine's address (DNS rebinding); its browser then takes our answers for that site's own, and
 * only `Host` still tells whom it asked for.
 */
import type { IncomingMessage } from 'node:http'
import { hostNameOf, isLoopbackName } from '../base/host-name.ts'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'

/** How many spellings of the allowed names are remembered: ports and cases differ, but not much. */
const knownMax = 100

/**
 * Undefined where any name will do. Throws `misdirected`. An empty `Host`, or none as HTTP/1.0
 * allows, is no other name; no browser sends either, nor a target in absolute form, whose host does
 * not count here.
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
