/**
 * Runs the background work that writes queue in this service: mails, and effects that the
 * application declares.
 */

import { mailKind } from '../accounts/recovery/owner-mails.ts'
import type { ServedEngine } from '../accounts/served-engine.ts'
import { codeEngineOf } from '../code/judged-engine.ts'
import { makeSystemCode, makeUnboundedCode } from '../code/outside-code.ts'
import { declaredKinds } from '../effects/declared-effects.ts'
import { storedFamilies } from '../effects/effect-counts.ts'
import type { EffectKind } from '../effects/effect-kind.ts'
import { type EffectRunner, startEffects } from '../effects/run-effects.ts'
import type { FileRoom } from '../files/file-room.ts'
import { scanKinds } from '../files/scans/scan-kinds.ts'
import type { Log } from '../http/logs/log.ts'
import { makeJobCode } from '../jobs/job-code.ts'
import { jobKinds } from '../jobs/job-kinds.ts'
import { limits } from '../limits.ts'
import { type MetricFamily, shared } from '../observe/metric-family.ts'
import type { Engine } from '../perform/engine.ts'
import { isMailKind } from '../resource/parts/waiting-mail.ts'
import { makeSchedules } from '../schedules/run-schedules.ts'
import type { EndedWork } from '../storage/stored-effects.ts'
import { startDrain } from './mails/drain-mails.ts'
import type { MailService } from './mails/mail.ts'
import { loadWebhooks } from './webhooks/load-webhooks.ts'

export type ServiceEffects = {
  /** When the next work is due that is not due now; undefined for none. */
  nextDueMs(): Promise<number | undefined>
  /** Resolves when no work is due. */
  runDue(): Promise<void>
  stop(): Promise<void>
  families(): Promise<readonly MetricFamily[]>
}

type ServiceEffectsDeps = {
  readonly engine: ServedEngine
  readonly mail: MailService | undefined
  readonly files: FileRoom | undefined
  readonly address: string
  readonly log: Log
  /** Told of each attempt, for tests. */
  readonly workEnded?: ((work: EndedWork) => void) | undefined
}

export async function startServiceEffects({
  engine,
  mail,
  files,
  address,
  log,
  workEnded: ended,
}: ServiceEffectsDeps): Promise<ServiceEffects> {
  const { storage, clock, catalog } = engine
  const code = { engine: codeEngineOf(engine), log, fetch: engine.outgoing.guarded('effects') }
  const makeCode = makeSystemCode(code)
  const schedules = makeSchedules({ ...engine, makeCode: makeUnboundedCode(code), log })
  const hooks = await loadWebhooks(engine, log)
  const kinds = [
    ...(mail ? mail.kinds(engine, address) : []),
    ...declaredKinds(catalog, { makeCode, storage }),
    ...(files ? scanKinds(files, makeCode) : []),
    ...jobKinds({ catalog, storage, clock, makeCode: makeJobCode(code) }),
    ...schedules.kinds,
    ...(hooks ? [hooks.runs.kind] : []),
  ]
  const running = { storage, kinds, clock, times: limits.effects, report: log.error, ended }
  const effects = kinds.length > 0 ? startEffects(running) : undefined
  if (hooks && effects) await hooks.runs.start(effects)
  const drain = catalog.outgoingMail
    ? startDrain(engine, catalog.outgoingMail, (error) => log.error('Mails that wait as records stay there', error))
    : undefined
  const moments = schedules.start()
  return {
    async nextDueMs() {
      const laterMs = clock() + 1
      const next = await Promise.all(kinds.map(({ name }) => storage.effects.next(name, laterMs)))
      const known = [moments.nextMs(), ...next].filter((one) => one !== undefined)
      return known.length > 0 ? Math.min(...known) : undefined
    },
    async runDue() {
      await drain?.now()
      await moments.now()
      await hooks?.runs.settled()
      await effects?.runDue()
    },
    async stop() {
      await moments.stop()
      await drain?.stop()
      hooks?.runs.stop()
      await effects?.stop()
      mail?.close()
    },
    families: async () => [
      ...(await leftFamilies(engine, kinds, effects)),
      ...moments.families(),
      ...((await hooks?.families()) ?? []),
    ],
  }
}

async function leftFamilies(
  { storage, clock }: Engine,
  kinds: readonly EffectKind[],
  effects: EffectRunner | undefined,
) {
  if (!effects) return []
  const names = kinds.map(({ name }) => name)
  const stored = await storedFamilies(storage.effects, { kinds: names, nowMs: clock() })
  const [depth] = stored
  const ofMail = (kind: string | undefined) => kind === mailKind || (kind !== undefined && isMailKind(kind))
  const waiting = depth?.kind === 'histogram' ? [] : (depth?.samples ?? [])
  const mails = waiting.filter(({ labels }) => ofMail(labels.kind) && labels.state !== 'given-up')
  const count = mails.reduce((all, { value }) => all + value, 0)
  return [
    ...effects.counts.families(),
    ...stored,
    ...(names.some(ofMail) ? [shared('bindery_mails_waiting', 'Mails that were not sent yet.', count)] : []),
  ]
}
