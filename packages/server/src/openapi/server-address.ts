/**
 * The one server address in the document: that of the request for it, so that requests made from
 * the document reach the same server.
 */
import type { HttpRequest } from '../http/messages/exchange.ts'

/** The address in printed documents: where a service listens by default. */
export const usualAddress = 'http://127.0.0.1:3000'

/** A host with its port. No other text gets into a document. */
const hostPattern = /^([A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?$/
/** A service has few addresses, but a request may name any. */
const addressesMax = 8

function addressOf({ protocol, headers: { host = '' } }: HttpRequest): string {
  return hostPattern.test(host) ? `${protocol}://${host.toLowerCase()}` : usualAddress
}

/** The text of a document with another address. */
export function atAddress(text: string, address: string): string {
  return text.replace(JSON.stringify(usualAddress), () => JSON.stringify(address))
}

/** Makes one response for each address, as long as there are few. */
export function makeByAddress<T>(make: (address: string) => T): (request: HttpRequest) => T {
  const made = new Map<string, T>()
  return (request) => {
    const address = addressOf(request)
    const known = made.get(address)
    if (known !== undefined) return known
    const one = make(address)
    if (made.size < addressesMax) made.set(address, one)
    return one
  }
}
