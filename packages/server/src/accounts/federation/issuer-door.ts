/** The way to other issuers: the operator has set their addresses. */

import type { OutgoingFetch } from '../../outgoing/outgoing.ts'

/** `fetch` returns a redirect as it is. `msMax`: how long a request of it may take. */
export type IssuerDoor = { readonly fetch: OutgoingFetch; readonly msMax: number }
