/**
 * A proxy before a real server. It drops or replaces responses as a test says, and records the
 * requests.
 */
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export type Fault =
  | { readonly kind: 'lose' }
  /** Half of the body comes, and then nothing. */
  | { readonly kind: 'stall' }
  /** Half of the body comes, and then the connection ends. */
  | { readonly kind: 'cut' }
  | { readonly kind: 'answer'; readonly status: number; readonly headers: Readonly<Record<string, string>> }
export type Came = { readonly method: string; readonly path: string; readonly headers: IncomingMessage['headers'] }

export type FaultyProxy = {
  readonly url: string
  readonly came: Came[]
  /**
   * Applies one fault each to the next requests that match. `lose`: the server gets the request,
   * and the client gets no response.
   */
  fail(fits: (came: Came) => boolean, ...faults: readonly Fault[]): void
  stop(): Promise<void>
}

export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const came: Came[] = []
  let faults: { readonly fits: (one: Came) => boolean; readonly fault: Fault }[] = []
  const server: Server = createServer(async (asked, answer) => {
    const { method = '', url: path = '', headers } = asked
    const one = { method, path, headers }
    came.push(one)
    const body = await buffer(asked)
    const found = faults.find(({ fits }) => fits(one))
    faults = faults.filter((other) => other !== found)
    if (found?.fault.kind === 'answer') {
      answer.writeHead(found.fault.status, found.fault.headers).end()
      return
    }
    const { host: _, ...passed } = headers
    const onward = request(target + path, { method, headers: passed }, async (came) => {
      const bytes = await buffer(came)
      if (found?.fault.kind === 'lose') answer.destroy()
      else if (found?.fault.kind === 'stall' || found?.fault.kind === 'cut') {
        const half = bytes.subarray(0, bytes.length / 2)
        const end = found.fault.kind === 'cut' ? () => answer.destroy() : undefined
        answer.writeHead(came.statusCode ?? 0, came.headers).write(half, end)
      } else answer.writeHead(came.statusCode ?? 0, came.headers).end(bytes)
    })
    onward.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    came,
    fail(fits, ...list) {
      faults.push(...list.map((fault) => ({ fits, fault })))
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
