/**
 * Reads the request id and the trace context that a client sends, so that other systems can match
 * the request. Only valid values count.
 */
import type { IncomingHttpHeaders } from 'node:http'

/**
 * Formats of other systems: UUIDs, ULIDs, `Root=1-67891233-abcdef012345678912345678`. No character
 * has a meaning in a log or a shell.
 */
const requestIdPattern = /^[\w.:=@+-]{1,128}$/

/** The client's `X-Request-Id`; undefined where it sent none, or an invalid one. */
export function requestIdOf({ 'x-request-id': sent }: IncomingHttpHeaders): string | undefined {
  return typeof sent === 'string' && requestIdPattern.test(sent) ? sent : undefined
}

export type TraceContext = {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** The id of the caller's span: 16 hexadecimal digits. */
  readonly spanId: string
  readonly isSampled: boolean
}

/**
 * Version, trace, parent and flags. A later version may append fields (W3C Trace Context, section
 * 3.2.4).
 */
const traceparentPattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Undefined for a header that the specification says to ignore. */
export function traceContextOf({ traceparent }: IncomingHttpHeaders): TraceContext | undefined {
  if (typeof traceparent !== 'string' || traceparent.length > 512) return undefined
  const [, version, traceId = '', spanId = '', flags = '', more] = traceparentPattern.exec(traceparent) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01` */
export function printTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}
