/** The engine of a service: what performs operations, and what knows who asks for them. */
import type { Engine } from '../perform/engine.ts'
import type { Identity } from './identity.ts'

export type ServedEngine = Engine & { readonly identity: Identity }
