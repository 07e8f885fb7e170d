/** The engine of a service: the engine of operations, with identity, which knows the caller. */
import type { Engine } from '../perform/engine.ts'
import type { Identity } from './identity.ts'

export type ServedEngine = Engine & { readonly identity: Identity }
