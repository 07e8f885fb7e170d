/** The one server of the document: where the request for the document came to, so that what is tried from it comes here too. */
import type { HttpRequest } from '../http/exchange.ts'

/** In documents that are printed: where a service listens that nobody has given another address. */
export const usualAddress = 'http://127.0.0.1:3000'

/** A host with its port. Anything else is not put into a document. */
const hostPattern = /^([A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?$/

/** The document's text, with the address that this request was sent to. */
export function addressed(text: string, { protocol, headers: { host = '' } }: HttpRequest): string {
  if (!hostPattern.test(host)) return text
  return text.replace(JSON.stringify(usualAddress), () => JSON.stringify(`${protocol}://${host}`))
}
