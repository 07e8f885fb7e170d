/** The key under which every throttle and limit counts a client address. */
import { isIPv6 } from 'node:net'

/**
 * `c000:0207` from `192.0.2.7`, the last 32 bits as they may be written (RFC 4291, section 2.2).
 */
function groupsOfDotted(dotted: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number)
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)]
}

/** The eight groups of 16 bits. */
function groupsOf(address: string): number[] {
  const halves = address.split('::').map((half) =>
    half
      .split(':')
      .filter((group) => group !== '')
      .flatMap((group) => (group.includes('.') ? groupsOfDotted(group) : [group])),
  )
  const [head = [], tail = []] = halves
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16))
}

/**
 * `2001:db8::7` → `2001:db8:0:0`: a client with one address of a /64 network has all of them (RFC
 * 6177). `::ffff:192.0.2.7`, however it is written, → `192.0.2.7`: the same client on another
 * socket. Any other text is returned as it is.
 */
export function countedAddress(address: string): string {
  if (!address.includes(':')) return address
  const [plain = ''] = address.split('%')
  if (!isIPv6(plain)) return address
  const groups = groupsOf(plain)
  const isMapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0)
  if (!isMapped) {
    return groups
      .slice(0, 4)
      .map((group) => group.toString(16))
      .join(':')
  }
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.')
}
