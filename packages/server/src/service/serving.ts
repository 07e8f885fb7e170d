/** Serves an application: starts the service, reports its address, and stops it on a signal. */
import cluster from 'node:cluster'
import { type Config, environmentHelp } from '../config.ts'
import { StartError } from '../errors.ts'
import { type Log, makeLog } from '../http/logs/log.ts'
import { watchRequestedLevel } from '../http/logs/log-level.ts'
import type { Declared } from '../resource/tenancy/define-tenancy.ts'
import { isOwnMachine } from '../settings/network-settings.ts'
import { type CreateMode, newDatabaseFlag } from '../storage/database-kind.ts'
import { printConsoleAddress } from './console-address.ts'
import { watchHooks } from './guard-watch/hook-watch.ts'
import { logStrayErrors } from './guard-watch/stray-errors.ts'
import { keepHeapSmall } from './heap-growth.ts'
import { previewPath } from './mails/preview-routes.ts'
import type { RunOptions } from './run.ts'
import { announceReady, type StartedService, start } from './start.ts'
import { keepTickShape } from './tick-shape.ts'
import { leadWorkers } from './workers.ts'

/** SIGTERM and SIGINT drain; the process exits with 0 within ten seconds. */
function stopOnSignals(log: Log, service: StartedService): void {
  let stopping = false
  const stop = async (signal: string) => {
    if (stopping) return
    stopping = true
    log.info(`${signal}: draining`)
    await service.stop()
    log.info('Stopped')
    await log.flush()
    process.exit(0)
  }
  process.on('SIGTERM', () => void stop('SIGTERM'))
  process.on('SIGINT', () => void stop('SIGINT'))
}

/**
 * Of several processes, only the first may create the database. One that starts later finds it, or
 * else it was removed.
 */
function makingHere(): CreateMode | undefined {
  if (cluster.isWorker && cluster.worker?.id !== 1) return undefined
  return process.argv.includes(newDatabaseFlag) ? 'anew' : 'fresh'
}

/** Open pages of the console and of mails ask again and again whether there is something new. */
function withoutHealth(log: Log): Log {
  const isAsked = (path: string) => path === '/livez' || path.startsWith(previewPath)
  return { ...log, request: (entry) => (isAsked(entry.path) ? undefined : log.request(entry)) }
}

/** `isDeveloped`: each change of a source starts it anew. */
type ServeOptions = Pick<RunOptions, 'ready' | 'opensConsole'> & { readonly isDeveloped?: boolean }

/** Serves until it is told to stop. Throws `StartError` when it cannot start. */
export async function serveApplication(
  config: Config,
  declarations: readonly Declared[],
  { ready, opensConsole, isDeveloped }: ServeOptions = {},
): Promise<void> {
  // On this signal Node would open a debugger to any process that can send it; a listener replaces
  // that. --inspect still works.
  if (process.platform !== 'win32') process.on('SIGUSR1', () => undefined)
  keepTickShape()
  keepHeapSmall()
  const log = isDeveloped ? withoutHealth(makeLog(config)) : makeLog(config)
  if (cluster.isPrimary) for (const sentence of config.unknownVariables(declarations)) log.warn(sentence)
  logStrayErrors(log)
  const isLeader = config.workers > 1 && cluster.isPrimary
  watchRequestedLevel(config.dataDir, (level) => {
    log.setLevel(level)
    if (!isLeader) log.ready(`Logging at level ${level ?? config.logLevel}`)
  })
  if (isLeader) return leadWorkers(config, log)
  const service = await start(config, declarations, {
    log,
    isPreparing: ready !== undefined,
    isDeveloped,
    making: makingHere(),
  })
  watchHooks(service.engine, config)
  stopOnSignals(log, service)
  if (service.metricsAddress) log.info(`Metrics on ${service.metricsAddress}`)
  await ready?.({ address: service.address, dataDir: config.dataDir })
  service.prepared()
  const isFirst = cluster.isPrimary || cluster.worker?.id === 1
  if (isFirst) announceReady(log, service.engine, config)
  if (isFirst && !config.rateLimits && !isOwnMachine(config.host))
    log.warn(
      `RATE_LIMIT is not set, and others can reach ${config.host}: one client may take all there is, for example RATE_LIMIT=600/1m`,
    )
  if (isFirst) {
    await log.flush()
    await printConsoleAddress(config, service, opensConsole)
  }
  if (cluster.isPrimary) log.ready(`Bindery is ready on ${service.address}`)
  await log.flush()
  process.send?.({ address: service.address })
}

/** Runs the start: a mistake of the operator becomes one line, a bug shows everything. */
export async function runMain(run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    process.stderr.write(error instanceof StartError ? `${error.message}\n` : `${(error as Error).stack}\n`)
    process.exit(1)
  }
}

export function writeHelp(): void {
  process.stdout.write(`npm start: serves REST and GraphQL until it is stopped.\n\n${environmentHelp()}`)
}
