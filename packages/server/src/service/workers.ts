/**
 * WORKERS > 1: one process leads, and several serve on one port. The leader only starts them; the
 * first worker prepares the database.
 */
import cluster from 'node:cluster'
import type { Config } from '../config.ts'
import type { Log } from '../http/logs/log.ts'
import { checkMetrics, openMetricsPort } from '../http/metrics-port.ts'
import { makeStatusWatch } from '../observe/status-watch.ts'
import { gatherFromWorkers } from './metrics/gather-metrics.ts'

/** The delay before a failed worker is restarted. */
const restartDelayMs = 1000

export async function leadWorkers(config: Config, log: Log): Promise<void> {
  checkMetrics(config)
  const { gather, answerStatus } = gatherFromWorkers()
  const watch = makeStatusWatch({ gather })
  answerStatus(watch)
  if (config.metrics) {
    const { address } = await openMetricsPort(config.metrics, { gather, watch })
    log.info(`Metrics on ${address}`)
  }
  let stopping = false
  let ready = false
  const end = (code: number) => void log.flush().then(() => process.exit(code))
  /**
   * Starts a worker, and another one whenever it ends. Resolves with the address once one of them
   * serves.
   */
  const keepOne = () =>
    new Promise<string>((resolve) => {
      function begin(): void {
        const worker = cluster.fork()
        worker.on('message', ({ address }: { address?: string }) => address !== undefined && resolve(address))
        worker.once('exit', (code, signal) => {
          if (stopping) {
            if (Object.keys(cluster.workers ?? {}).length === 0) end(0)
            return
          }
          if (!ready) return end(1) // if the first worker fails, all would; it has reported why
          log.warn(`Worker ${worker.process.pid} ended with ${signal ?? code}, starting another`)
          setTimeout(() => stopping || begin(), restartDelayMs)
        })
      }
      begin()
    })
  const stop = () => {
    stopping = true
    if (Object.keys(cluster.workers ?? {}).length === 0) return end(0)
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM')
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // The first worker migrates the database and creates the secret and the first ADMIN, before the
  // others start.
  const address = await keepOne()
  ready = true
  await Promise.all(Array.from({ length: config.workers - 1 }, keepOne))
  log.ready(`Bindery is ready on ${address} with ${config.workers} workers`)
  await log.flush()
  process.send?.({ address })
}
