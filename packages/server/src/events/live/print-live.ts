/** Prints server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html. */

export const eventStreamType = 'text/event-stream; charset=utf-8'

/** `name`: that of the subscription, where a stream has several. */
export type LiveBlock = { readonly event: string; readonly data: unknown; readonly id?: string | undefined }

/** How a stream prints its events. Streams whose forms have the same key share their texts. */
export type EventForm = { readonly key: string; print(block: LiveBlock): string }

/** JSON has no line breaks. */
export function printBlock({ event, data, id }: LiveBlock): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

export const plainForm: EventForm = { key: '', print: printBlock }

/** Without data a client only remembers the id. */
export function printId(id: string): string {
  return `: \nid: ${id}\n\n`
}

/** How soon a browser connects again. */
export const firstWords = 'retry: 1000\n\n'

/** The name of an event: `books/enter` where a stream has several subscriptions. */
export function eventName(subscription: string | undefined, type: string): string {
  return subscription === undefined ? type : `${subscription}/${type}`
}
