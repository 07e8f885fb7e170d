/** Assembles the metrics, status and traces of this process, before the parts that they measure. */
import cluster from 'node:cluster'
import { checkInstalled } from '../../base/optional-package.ts'
import type { Config } from '../../config.ts'
import { ownVersion } from '../../create/own-version.ts'
import type { Log } from '../../http/logs/log.ts'
import { type Meter, makeMeter } from '../../observe/meter.ts'
import { loadTracing, type Tracing, tracingPackages } from '../../observe/request-span.ts'
import type { Status } from '../../observe/status.ts'
import { type GatherFamilies, makeStatusWatch, type StatusWatch } from '../../observe/status-watch.ts'
import { makeStorageMetrics, type StorageMetrics } from '../../observe/storage-metrics.ts'
import { gatherLocally, joinWorkers } from './gather-metrics.ts'
import { makeProcessFigures } from './process-metrics.ts'
import { recordSlowStatement } from './slow-statements.ts'

export type Observability = {
  readonly meter: Meter
  readonly storageWatch: StorageMetrics
  readonly tracing: Tracing | undefined
  /** The metrics of this process alone. */
  readonly gather: GatherFamilies
  /** Undefined in a worker, whose leader has it. */
  readonly watch: StatusWatch | undefined
  /** Of the whole service; undefined where its leader does not answer. */
  status(): Promise<Status | undefined>
  stop(): Promise<void>
}

/** Throws `StartError` where a package is missing. */
async function tracingOf({ traces }: Config): Promise<Tracing | undefined> {
  if (!traces) return undefined
  for (const needed of tracingPackages) checkInstalled(needed, 'OTEL_EXPORTER_OTLP_ENDPOINT')
  return loadTracing(traces, ownVersion())
}

/** Throws `StartError`. */
export async function makeObservability(config: Config, log: Log): Promise<Observability> {
  const { metrics } = config
  const tracing = await tracingOf(config)
  const meter = makeMeter()
  meter.add(makeProcessFigures(ownVersion()))
  if (metrics) meter.look()
  const storageWatch = makeStorageMetrics({
    slowMs: () => config.slowMs,
    slow(found) {
      log.warn('Slow statement', found)
      recordSlowStatement(config.dataDir, found, Date.now())
    },
    add: meter.add,
    isMeasured: () => meter.requests() !== undefined,
    spans: tracing?.statements,
  })
  const gather = gatherLocally(meter)
  const watch = cluster.isWorker ? undefined : makeStatusWatch({ gather })
  const status = watch ? watch.status : joinWorkers(meter)
  return {
    meter,
    storageWatch,
    tracing,
    gather,
    watch,
    status,
    async stop() {
      watch?.stop()
      await tracing?.close()
    },
  }
}
