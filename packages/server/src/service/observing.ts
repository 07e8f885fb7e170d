/** What this process counts of itself, and how it is watched: put together once, before anything that is counted. */
import type { Config } from '../config.ts'
import { ownVersion } from '../create/own-version.ts'
import type { Log } from '../http/log.ts'
import { type Meter, makeMeter } from '../observe/meter.ts'
import { makeStorageWatch, type StorageWatch } from '../observe/statement-watch.ts'
import { makeProcessFigures } from './process-figures.ts'

export type Observing = { readonly meter: Meter; readonly watch: StorageWatch }

export function makeObserving({ metrics, slowMs }: Config, log: Log): Observing {
  const meter = makeMeter()
  meter.add(makeProcessFigures(ownVersion()))
  if (metrics) meter.look()
  const watch = makeStorageWatch({
    slowMs,
    slow: (found) => log.warn('Slow statement', found),
    add: meter.add,
    isMeasured: () => meter.requests() !== undefined,
  })
  return { meter, watch }
}
