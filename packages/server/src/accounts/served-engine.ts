/**
 * The engine of a service: the engine of operations, with identity, which knows the caller, and
 * with the way to other services.
 */
import type { Outgoing } from '../outgoing/outgoing.ts'
import type { Engine } from '../perform/engine.ts'
import type { Identity } from './identity.ts'

export type ServedEngine = Engine & {
  readonly identity: Identity
  readonly outgoing: Outgoing
  /** Ends the services of the application, after all work that may use them. */
  closeServices(): Promise<void>
}
