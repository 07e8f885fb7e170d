/**
 * Fetches from other issuers within a time and a size, and only from the given address: it follows
 * no redirect.
 */

export type FetchBounds = { readonly bytesMax: number; readonly msMax: number }
type FetchInit = Parameters<typeof fetch>[1]

/**
 * Throws an `Error` for a response that takes longer or has more. A redirect is returned as it is.
 */
export function makeBoundedFetch({
  bytesMax,
  msMax,
}: FetchBounds): (url: string | URL, init?: FetchInit) => Promise<Response> {
  return async (url, init = {}) => {
    const late = AbortSignal.timeout(msMax)
    const signal = init.signal ? AbortSignal.any([init.signal, late]) : late
    const answer = await fetch(url, { ...init, signal, redirect: 'manual' })
    const pieces: Uint8Array[] = []
    let bytes = 0
    for await (const piece of answer.body ?? []) {
      bytes += piece.length
      if (bytes > bytesMax) throw new Error(`more than ${bytesMax} bytes from ${new URL(url).origin}`)
      pieces.push(piece)
    }
    const { status, statusText, headers } = answer
    return new Response(answer.body === null ? null : Buffer.concat(pieces), { status, statusText, headers })
  }
}
