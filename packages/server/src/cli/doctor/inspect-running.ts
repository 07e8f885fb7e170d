/**
 * The findings of the doctor that a running server makes of itself. Those that read the database
 * whole would hold up its requests, so they are left out.
 */
import { backupNotes } from '../../backup/last-backup.ts'
import type { Config } from '../../config.ts'
import type { Engine } from '../../perform/engine.ts'
import { sweepNotes } from '../../service/sweep-failures.ts'
import { type Finding, makeFindings } from '../../storage/finding.ts'
import { inspectEffects } from '../../storage/inspect-effects.ts'
import { inspectSchedules } from '../../storage/schedules/inspect-schedules.ts'
import { schedulesTable } from '../../storage/schedules/stored-schedules.ts'
import { effectsTable } from '../../storage/stored-effects.ts'
import { inspectWebhooks } from '../../storage/webhooks/inspect-webhooks.ts'
import { inspectBackups, inspectCopies } from './doctor-backup.ts'
import { inspectHost } from './doctor-host.ts'
import { inspectSweeps } from './doctor-sweeps.ts'

async function notesOf({ kind, setup }: Config['database']): Promise<ReadonlyMap<string, string | undefined>> {
  const names = [...backupNotes, ...sweepNotes]
  return new Map(await Promise.all(names.map(async (name) => [name, await kind.findNote(setup, name)] as const)))
}

type RunningEngine = Pick<Engine, 'catalog' | 'storage' | 'clock'>

export async function inspectRunning(
  config: Config,
  { catalog, storage, clock }: RunningEngine,
): Promise<readonly Finding[]> {
  const nowMs = clock()
  const findings = makeFindings()
  const { kind, setup } = config.database
  const where = kind.describe(setup)
  await inspectHost(findings, config, { catalog, nowMs })
  await findings.part('effects', effectsTable, async () =>
    inspectEffects(findings, { found: await storage.effects.troubles(nowMs), catalog }),
  )
  await findings.part('schedules', schedulesTable, async () =>
    inspectSchedules(findings, { found: await storage.schedules.list(), catalog, nowMs }),
  )
  await findings.part('webhooks', where, () => inspectWebhooks(findings, { reader: storage, catalog, nowMs }))
  await findings.part('backup', where, async () => {
    const found = await notesOf(config.database)
    inspectSweeps(findings, found)
    await inspectBackups(findings, config, { found, nowMs })
  })
  await findings.part('log copies', where, () => inspectCopies(findings, config, nowMs))
  return findings.all
}
