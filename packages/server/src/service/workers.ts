/** WORKERS > 1: one process that leads and several that serve on one port. The leader prepares the database, and starts again who dies. */
import cluster, { type Worker } from 'node:cluster'
import type { Config } from '../config.ts'
import type { Log } from '../http/log.ts'
import type { Declared } from '../resource/define.ts'
import { firstAdmin } from './first-admin.ts'
import { openEngine } from './open-engine.ts'
import { announce } from './start.ts'

/** A worker that cannot stay up is not started again at once. */
const restartDelayMs = 1000

export async function leadWorkers(config: Config, declarations: readonly Declared[], log: Log): Promise<void> {
  // Migrations, the secret and the first ADMIN are made once, before anybody serves.
  const engine = await openEngine(config, declarations, { report: log.warn })
  const admin = await firstAdmin(engine, config)
  announce(log, { engine, admin })
  await engine.storage.close()

  let stopping = false
  let ready = false
  const started = (worker: Worker) =>
    new Promise<string>((resolve) => worker.once('message', (message: { address: string }) => resolve(message.address)))
  const end = (code: number) => void log.flush().then(() => process.exit(code))
  cluster.on('exit', (worker, code, signal) => {
    if (stopping) {
      if (Object.keys(cluster.workers ?? {}).length === 0) end(0)
      return
    }
    if (!ready) return end(1) // what the first one cannot do, none can; it has said why
    log.warn(`Worker ${worker.process.pid} ended with ${signal ?? code}, starting another`)
    setTimeout(() => stopping || cluster.fork(), restartDelayMs)
  })
  const stop = () => {
    stopping = true
    if (Object.keys(cluster.workers ?? {}).length === 0) return end(0)
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM')
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  const address = await started(cluster.fork())
  ready = true
  await Promise.all(Array.from({ length: config.workers - 1 }, () => started(cluster.fork())))
  log.ready(`Bindery is ready on ${address} with ${config.workers} workers`)
  await log.flush()
}
