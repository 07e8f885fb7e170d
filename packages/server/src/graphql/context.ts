/** The GraphQL context: what each resolver of a request receives. */
import type { Engine } from '../perform/engine.ts'
import type { Principal } from '../resource/principal.ts'
import type { AllowedLoader } from './allowed-loader.ts'
import type { RelationLoaders } from './relation-loader.ts'

export type GraphqlContext = {
  readonly engine: Engine
  readonly principal: Principal
  /** The same with its present rights: each field of a mutation comes after the one before it. */
  callerNow(): Promise<Principal>
  /** Load records that other records refer to, in batches. */
  readonly loaders: RelationLoaders
  /** Tells what the caller may do with records, in batches. */
  readonly allowed: AllowedLoader
}
