/** What every resolver of one request is given. */

import type { Engine } from '../perform/engine.ts'
import type { Principal } from '../resource/principal.ts'
import type { Load } from './load.ts'

export type Context = {
  readonly engine: Engine
  readonly principal: Principal
  /** Records that other records refer to, fetched together. */
  readonly load: Load
}

export type Arguments = Readonly<Record<string, unknown>>
