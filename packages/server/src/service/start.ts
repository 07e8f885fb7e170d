/**
 * One running service in this process: engine, server, and the way to stop both. `npm start`, its
 * workers and the tests share it.
 */

import type { ServedEngine } from '../accounts/served-engine.ts'
import type { Config } from '../config.ts'
import { ApiError, StartError } from '../errors.ts'
import { type FileRoom, folderWarning, makeFileRoom } from '../files/file-room.ts'
import { filesWithoutRecord } from '../files/sweep-files.ts'
import { lackingWarnings } from '../files/uploads/upload-packages.ts'
import type { Log } from '../http/logs/log.ts'
import { tellingPositions } from '../http/messages/change-position.ts'
import { checkMetrics, type MetricsPort, openMetricsPort } from '../http/metrics-port.ts'
import { type HttpRoute, makeServer } from '../http/server.ts'
import { type ServerLimits, limits as usualLimits } from '../limits.ts'
import type { Meter } from '../observe/meter.ts'
import { openWrites } from '../policy/permissions.ts'
import type { Declared } from '../resource/tenancy/define-tenancy.ts'
import { makeCacheFile } from '../response-cache/cache-file.ts'
import { placeOf } from '../settings/store-settings.ts'
import { joinedDatabase } from '../storage/open.ts'
import type { EndedWork } from '../storage/stored-effects.ts'
import { firstAdmin } from './first-admin.ts'
import { makeHttpRoutes } from './http-routes.ts'
import { type LogCopies, startLogCopies } from './log-copies.ts'
import { openMail } from './mails/mail.ts'
import type { SentOutMail } from './mails/mail-kind.ts'
import { previewRoutes } from './mails/preview-routes.ts'
import { backupAge, copiesAge, makeReadBackupState } from './metrics/backup-metrics.ts'
import { diskFigures } from './metrics/disk-metrics.ts'
import { makeObservability, type Observability } from './metrics/observability.ts'
import { startSpaceSamples } from './metrics/space-samples.ts'
import { type EngineOptions, openEngine } from './open-engine.ts'
import { makeBackups } from './scheduled-backups.ts'
import { startServiceEffects } from './service-effects.ts'
import { startSweeps } from './sweep.ts'
import { keepDeclaredWebhooks } from './webhooks/load-webhooks.ts'

export type StartedService = {
  /** `http://127.0.0.1:3000` */
  readonly address: string
  readonly engine: ServedEngine
  readonly observing: Observability
  /** The address of the metrics; undefined where no port is configured, or the leader has it. */
  readonly metricsAddress: string | undefined
  /**
   * Call it when the application has prepared its data: from then on `/readyz` reports the real
   * state.
   */
  prepared(): void
  /**
   * Does the periodic work at once: a sweep, then due schedules, mails and effects.
   */
  doWhatIsDue(): Promise<void>
  /** Does the second part of it: due schedules, mails and effects, and what these cause. */
  runDue(): Promise<void>
  /**
   * When the next work is due that is not due now: a moment of a schedule, an effect, another try;
   * undefined for none.
   */
  nextDueMs(): Promise<number | undefined>
  /** Finishes requests in flight, then closes the database. */
  stop(): Promise<void>
}

const listenProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'this user may not listen there',
}

/** A failure to listen, or any `ApiError`, as a `StartError`; other errors stay as they are. */
function startErrorOf(error: unknown, { host, port }: Config): unknown {
  const { code = '', message, syscall } = error as NodeJS.ErrnoException
  if (syscall === 'listen' || syscall === 'bind' || syscall === 'getaddrinfo')
    return new StartError(`Cannot listen on ${host}:${port}: ${listenProblems[code] ?? message}`)
  return error instanceof ApiError ? new StartError(`Cannot start: ${message}`) : error
}

/** Warns the operator of writes that are open to every caller, and of files in an own folder. */
export function announceReady(log: Log, engine: ServedEngine, { files, database }: Config): void {
  const warning = folderWarning(engine.catalog, files, database.kind)
  if (warning !== undefined) log.warn(warning)
  for (const write of openWrites(engine)) log.warn(`Open to anyone: ${write}`)
}

/** Other instances on the database may not reach the folder of this one. */
function sayWhereFilesAre({ database, files: { store, fallback } }: Config, log: Log): void {
  if (fallback)
    log.info(
      `Files that are not in ${placeOf(store)} are read from ${placeOf(fallback)} (FILES_STORE_FALLBACK): bindery files move copies them`,
    )
  if (!database.kind.isShared || !('folder' in store)) return
  log.info(
    `Files of records are in the folder ${store.folder}: several instances need one that all reach, or s3://BUCKET/PREFIX, in FILES_STORE`,
  )
}

/** Undefined where no field holds files. */
function openFiles(
  engine: ServedEngine,
  config: Config,
  { log, meter }: { readonly log: Log; readonly meter: Meter },
): FileRoom | undefined {
  const files = makeFileRoom(engine, config.files, engine.outgoing)
  if (!files) return undefined
  sayWhereFilesAre(config, log)
  for (const warning of lackingWarnings()) log.warn(warning)
  meter.add(async () => files.counts.families(await filesWithoutRecord(files)))
  return files
}

/** Shows the password as soon as the first operator is stored: it cannot be read later. */
async function prepareAdmin(engine: ServedEngine, config: Config, log: Log): Promise<void> {
  const { operator } = engine.catalog.roles
  const admin = await firstAdmin(engine, config)
  if (!admin) return
  log.info(`Made the first ${operator} ${admin.email}`)
  if (config.admin && engine.identity.isCommonPassword(config.admin.password))
    log.warn('ADMIN_PASSWORD is one of the commonest passwords: change it before others reach this server')
  if (admin.password)
    process.stderr.write(`First ${operator}: ${admin.email} with password ${admin.password} (shown once)\n`)
}

/** Records that a service has from its start. Throws `StartError`. */
async function prepareRecords(engine: ServedEngine, config: Config, log: Log): Promise<void> {
  await prepareAdmin(engine, config, log)
  await keepDeclaredWebhooks(engine)
}

/** Of several processes, the leader opens the port. */
async function openMetrics({ metrics }: Config, { gather, watch }: Observability): Promise<MetricsPort | undefined> {
  return metrics && watch ? openMetricsPort(metrics, { gather, watch }) : undefined
}

export type StartOptions = Omit<EngineOptions, 'report'> & {
  readonly log: Log
  /** Limits other than the usual ones: tests stop hundreds of services, and reach large limits. */
  readonly limits?: Partial<ServerLimits>
  /** Whether `/readyz` is 503 until `prepared` is called. */
  readonly isPreparing?: boolean
  /** Whether each change of a source starts it anew: pages that are open show it. */
  readonly isDeveloped?: boolean | undefined
  /** Told of each attempt of work that writes left: tests. */
  readonly workEnded?: ((work: EndedWork) => void) | undefined
  /** Told of each mail that was sent: tests. */
  readonly mailSent?: ((mail: SentOutMail) => void) | undefined
}

/** Services may send requests until they are closed. */
async function closeOutside({ closeServices, outgoing }: ServedEngine): Promise<void> {
  await closeServices()
  outgoing.close()
}

function routesOf(
  engine: ServedEngine,
  config: Config,
  parts: Parameters<typeof makeHttpRoutes>[2],
): readonly HttpRoute[] {
  const previews = parts.isDeveloped ? previewRoutes({ ...engine, folder: config.accounts.mail.texts }) : []
  return tellingPositions([...makeHttpRoutes(engine, config, parts), ...previews], engine.storage.changes)
}

/**
 * Takes the port before it creates the first operator, so that a failing start creates none. Throws
 * `StartError`.
 */
export async function start(
  given: Config,
  declarations: readonly Declared[],
  {
    log,
    limits: others,
    isPreparing = false,
    isDeveloped = false,
    making = 'fresh',
    workEnded,
    mailSent,
    ...options
  }: StartOptions,
): Promise<StartedService> {
  checkMetrics(given)
  const observing = await makeObservability(given, log)
  const { meter, storageWatch: watch } = observing
  const served = {
    needsSettings: true,
    watch,
    onLogInFailed: meter.logInFailed,
    outgoingEnded: observing.tracing?.outgoingEnded,
  }
  const engine = await openEngine(given, declarations, { ...options, making, ...served, report: log.warn }).catch(
    async (error) => {
      await observing.stop()
      throw error
    },
  )
  const config = { ...given, database: joinedDatabase(given.database) }
  const state = { draining: false, preparing: isPreparing }
  const limits = { ...usualLimits, ...others }
  const keptFile = makeCacheFile({ folder: config.dataDir, bytesMax: limits.keptFileBytesMax, report: log.warn })
  let copies: LogCopies | undefined
  let metrics: MetricsPort | undefined
  try {
    const following = await startLogCopies(config, log) // before any response that it must cover
    copies = following
    const backupLook = makeReadBackupState(config.database, engine.clock)
    const figures = [backupAge(backupLook, engine.clock), copiesAge(following), diskFigures(config.dataDir)]
    for (const one of [...figures, engine.outgoing.families]) meter.add(one)
    metrics = await openMetrics(config, observing)
    const backups = makeBackups({ engine, config, log })
    const mail = openMail(config, engine, { log, mailSent, isDeveloped })
    const files = openFiles(engine, config, { log, meter })
    const parts = { log, limits, state, observing, backupLook, copies: following, backups, keptFile, isDeveloped }
    const server = await makeServer(config, log, {
      meter,
      limits,
      tracing: observing.tracing,
      routes: routesOf(engine, config, { ...parts, files }),
    })
    const address = await server.listen(() => prepareRecords(engine, config, log))
    backups.start()
    const sweeps = startSweeps(engine, config, { log, files })
    const work = await startServiceEffects({ engine, mail, files, address, log, workEnded })
    meter.add(work.families)
    const space = startSpaceSamples(config.dataDir)
    return {
      address,
      engine,
      observing,
      metricsAddress: metrics?.address,
      prepared() {
        state.preparing = false
      },
      nextDueMs: work.nextDueMs,
      runDue: work.runDue,
      doWhatIsDue: () => sweeps.now().then(work.runDue),
      async stop() {
        state.draining = true
        await server.drain()
        keptFile.close()
        space.stop()
        await sweeps.stop()
        await backups.stop()
        await work.stop()
        await closeOutside(engine)
        await metrics?.close() // before its sources close
        await observing.stop()
        await engine.storage.close()
        await following.stop()
      },
    }
  } catch (error) {
    await metrics?.close()
    await observing.stop()
    await engine.storage.close()
    await copies?.stop()
    throw startErrorOf(error, config)
  }
}
