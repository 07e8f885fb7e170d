/**
 * What a client says about a request so that others find it again: its id, and the trace that it is
 * a part of. Only what is sane counts.
 */
import type { IncomingHttpHeaders } from 'node:http'

/**
 * As others make them: UUIDs, ULIDs, `Root=1-67891233-abcdef012345678912345678`. Nothing that a log
 * or a shell would take for its own.
 */
const requestIdPattern = /^[\w.:=@+-]{1,128}$/

/**
 * The client's `X-Request-Id`; undefined where it sent none, or one that is too long or has other
 * characters.
 */
export function requestIdOf({ 'x-request-id': sent }: IncomingHttpHeaders): string | undefined {
  return typeof sent === 'string' && requestIdPattern.test(sent) ? sent : undefined
}

export type TraceContext = {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** Of the caller: 16 hexadecimal digits. */
  readonly spanId: string
  readonly isSampled: boolean
}

/**
 * Version, trace, parent and flags. A later version may say more behind them (W3C Trace Context,
 * section 3.2.4).
 */
const traceparentPattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Undefined for a header that the specification tells us to ignore. */
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
