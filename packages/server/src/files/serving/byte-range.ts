/** Reads `Range` and `If-Range` (RFC 9110, sections 13.1.5 and 14). One range is served. */
import type { IncomingHttpHeaders } from 'node:http'
import type { ByteRange } from '../../stores/object-store.ts'

/** `whole`: no range is asked for, or one that is not served. */
export type AskedRange = 'whole' | 'unsatisfiable' | ByteRange

export function rangeOf(
  { range, 'if-range': condition }: IncomingHttpHeaders,
  { etag, size }: { readonly etag: string; readonly size: number },
): AskedRange {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? '') ?? []
  if (first === '' && last === '') return 'whole'
  // A date is no strong validator here, since a record shows none of its file.
  if (condition !== undefined && condition !== etag) return 'whole'
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 }
  }
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < Number(first)) return 'whole'
  return Number(first) >= size ? 'unsatisfiable' : { first: Number(first), last: end }
}
