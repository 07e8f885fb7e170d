/** A TCP proxy before a server that can cut the connection or garble the client's bytes. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

export type Cable = {
  /** The address with the port of this end. */
  readonly url: string
  /** While it is pulled, connections end at once. */
  pull(isPulled: boolean): void
}

/** `garble` changes what clients send, and keeps its length. */
export async function startCable(
  t: Pick<TestContext, 'after'>,
  address: string,
  garble: (bytes: Buffer) => Buffer = (bytes) => bytes,
): Promise<Cable> {
  const { hostname, port } = new URL(address)
  const sockets = new Set<Socket>()
  let pulled = false
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    const ends = [
      [near, far],
      [far, near],
    ] as const
    for (const [from, to] of ends) {
      sockets.add(from)
      from.on('error', () => undefined).on('close', () => to.destroy())
      from.on('data', (bytes) => to.write(from === near ? garble(bytes as Buffer) : bytes))
    }
    if (pulled) near.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const end = () => {
    for (const socket of sockets) socket.destroy()
  }
  t.after(() => {
    end()
    server.close()
  })
  const url = new URL(address)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href.replace(/\/$/, ''),
    pull(isPulled) {
      pulled = isPulled
      if (pulled) end()
    },
  }
}
