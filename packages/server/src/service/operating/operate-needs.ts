/** The dependencies of the routes for operators: what they read, and the audit of their writes. */
import { recordAudit } from '../../accounts/audit/audit.ts'
import type { ServedEngine } from '../../accounts/served-engine.ts'
import { originOf } from '../../accounts/sessions/request-client.ts'
import { findBackups } from '../../backup/last-backup.ts'
import type { Config } from '../../config.ts'
import type { WatchedFeed } from '../../events/feed-figures.ts'
import type { OperateRouteDeps } from '../../operate/operate-routes.ts'
import { authorOf } from '../../record/author.ts'
import { bucketFetchOf } from '../../stores/bucket-fetch.ts'
import { readSlowStatements } from '../metrics/slow-statements.ts'
import type { BackupWork } from '../scheduled-backups.ts'

type Operated = { readonly work: BackupWork; readonly feed: WatchedFeed | undefined }

export function operateNeeds(engine: ServedEngine, config: Config, { work, feed }: Operated): OperateRouteDeps {
  const { catalog, records } = engine
  let looking: ReturnType<OperateRouteDeps['findings']> | undefined
  return {
    engine,
    settings: config.shownSettings(catalog.parts),
    backups: {
      last: () => findBackups(config.database),
      settings: config.backups,
      bucketFetch: bucketFetchOf(engine.outgoing),
      work,
    },
    quotas: { perUserMax: config.files.perUserMax ?? null, perTenantMax: config.files.perTenantMax ?? null },
    feed,
    changesKept: config.work.changesKept,
    statements: () => ({ slowMs: config.slowMs ?? null, statements: readSlowStatements(config.dataDir, Date.now()) }),
    /** Concurrent callers share one examination. */
    async findings() {
      const { inspectRunning } = await import('../../cli/doctor/inspect-running.ts')
      looking ??= inspectRunning(config, engine).finally(() => {
        looking = undefined
      })
      return looking
    },
    async note({ caller, request }, event, details) {
      const { address, userAgent } = originOf(request)
      const userId = caller.kind === 'user' ? caller.userId : null
      await records.transaction({ ...authorOf(caller), address, userAgent }, (tx) =>
        recordAudit(tx, { event, userId, details }),
      )
    },
  }
}
