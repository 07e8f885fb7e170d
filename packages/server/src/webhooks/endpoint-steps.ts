/**
 * Write steps of endpoints: what they may name, their secret, and the effect that runs each. An
 * endpoint that is switched on begins where it was.
 */
import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type AuditEntry, recordAudit } from '../accounts/audit/audit.ts'
import { ApiError, StartError } from '../errors.ts'
import { feedResources } from '../events/feed-room.ts'
import type { Engine } from '../perform/engine.ts'
import type { Policy } from '../policy/policy.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import type { StageInput } from '../record/requested-write.ts'
import type { WriteStep } from '../record/stages.ts'
import type { AuditEvent } from '../resource/accounts/audit-events.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import { findWebhooks } from '../resource/webhooks/find-webhooks.ts'
import { webhookEvents } from '../resource/webhooks/webhook-words.ts'
import type { ReadStorage, Values } from '../storage/storage.ts'
import { secretOf } from '../webhook/signature.ts'
import { endOfLog, followFor } from './owner-feed.ts'
import { type SecretSeal, sealedFor, webhookKind } from './webhook-room.ts'
import { effectOf } from './webhook-runs.ts'

const secretBytes = 32

export type WebhookWriteDeps = {
  readonly catalog: Catalog
  readonly storage: Pick<ReadStorage, 'changes'>
  readonly settings: Engine['settings']
  policy(): Policy
  /** Called when a write asks: identity comes later than its steps. */
  identity(): { readonly storedSeal?: SecretSeal | undefined }
}

export function sealOf({ identity }: Pick<WebhookWriteDeps, 'identity'>): SecretSeal {
  const found = identity().storedSeal
  if (!found) throw new Error('webhooks need users, and this application has none')
  return found
}

export function drawSecret(seal: SecretSeal): { readonly secret: string; readonly sealed: string } {
  const secret = secretOf(randomBytes(secretBytes))
  return { secret, sealed: seal.seal(secret, sealedFor) }
}

function problemOf(told: readonly Resource[], { values }: StageInput): { field: string; detail: string } | undefined {
  const { resources, events, filters } = values
  const slugs = told.map(({ slug }) => slug)
  const known = `there are ${slugs.join(', ')}`
  const unknownOf = (names: readonly string[]) => names.find((name) => !slugs.includes(name))
  if (Array.isArray(resources)) {
    if (resources.length === 0) return { field: 'resources', detail: 'resources names at least one resource' }
    const wrong = unknownOf(resources as string[])
    if (wrong !== undefined)
      return { field: 'resources', detail: `resources: no changes of "${wrong.slice(0, 100)}" are told; ${known}` }
  }
  if (Array.isArray(events)) {
    const wrong = (events as string[]).find((one) => !(webhookEvents as readonly string[]).includes(one))
    if (wrong !== undefined)
      return { field: 'events', detail: `events: "${wrong.slice(0, 100)}" is none of ${webhookEvents.join(', ')}` }
  }
  if (filters === undefined || filters === null) return undefined
  if (typeof filters !== 'object' || Array.isArray(filters))
    return { field: 'filters', detail: 'filters is an object: {"notes": "isOpen=true"}' }
  const wrong = unknownOf(Object.keys(filters))
  if (wrong !== undefined)
    return { field: 'filters', detail: `filters: no changes of "${wrong.slice(0, 100)}" are told; ${known}` }
  const bare = Object.entries(filters).find(([, query]) => typeof query !== 'string')
  return bare && { field: 'filters', detail: `filters: that of ${bare[0]} is a text, such as "isOpen=true"` }
}

/** The fields that people choose. */
const chosen = ['url', 'description', 'resources', 'events', 'filters', 'body', 'inOrder', 'active']

function auditOf(event: AuditEvent, row: Values, details: AuditEntry['details']): AuditEntry {
  return { event, userId: row.userId as string, details: { endpoint: row.id as string, ...details } }
}

async function auditChange(tx: RecordTransaction, before: Values, row: Values): Promise<void> {
  if (before.secret !== row.secret) await recordAudit(tx, auditOf('webhook-rotated', row, {}))
  const fields = chosen.filter((name) => !isDeepStrictEqual(before[name], row[name]))
  if (fields.length === 0) return
  const isByServer = row.active === false && row.disabledReason !== null && before.disabledReason === null
  const details = isByServer ? { why: row.disabledReason as string } : { fields: fields.join(' ') }
  await recordAudit(tx, auditOf(isByServer ? 'webhook-switched-off' : 'webhook-changed', row, details))
}

type CheckedEngine = Parameters<typeof followFor>[0]

/** Throws what a list with such a filter throws to the caller. */
function checkFollowed(engine: CheckedEngine, told: readonly Resource[], { values, before, caller }: StageInput): void {
  const { resources, filters } = { ...before, ...values }
  if (values.resources === undefined && values.filters === undefined) return
  for (const resource of told.filter(({ slug }) => (resources as readonly string[]).includes(slug))) {
    const filter = (filters as Readonly<Record<string, string>> | null | undefined)?.[resource.slug]
    followFor(engine, caller, { resource, filter })
  }
}

/** Empty in an application without webhooks. Throws `StartError` where nothing can be told. */
export function webhookSteps(deps: WebhookWriteDeps): WriteStep[] {
  const { catalog, storage } = deps
  const tables = findWebhooks(catalog)
  if (!tables) return []
  const told = feedResources(catalog)
  if (told.length === 0)
    throw new StartError('webhooks: no resource declares changes: say changes: true at one that has a list')
  const seal = () => sealOf(deps)
  return [
    {
      name: 'webhook endpoints',
      resources: [tables.endpoints],
      fields: [...chosen, 'secret'],
      check(sent) {
        const problem = problemOf(told, sent)
        if (problem) throw new ApiError('bad-request', problem.detail, { mistakes: [problem] })
        checkFollowed({ ...deps, policy: deps.policy() }, told, sent)
      },
      async work({ kind, values }) {
        if (kind !== 'create') return undefined
        const { secret, sealed } = drawSecret(seal())
        Object.assign(values, { secret: sealed, begin: await endOfLog(storage.changes) })
        return { secret }
      },
      beforeCreate: ({ values }) => (values.secret ? undefined : { secret: drawSecret(seal()).sealed }),
      beforeUpdate({ before, changes }) {
        const isOn = before.active === false && changes.active === true
        const isMoved = changes.url !== undefined && changes.url !== before.url
        if (!isOn && !isMoved) return undefined
        return { failingSince: null, ...(isOn && { disabledAt: null, disabledReason: null }) }
      },
      async afterCreate({ tx, rows }) {
        await recordAudit(tx, ...rows.map((row) => auditOf('webhook-added', row, { url: row.url as string })))
        await tx.leave(...rows.filter(({ active }) => active === true).map(({ id }) => effectOf(String(id))))
      },
      async afterUpdate({ tx, before, row }) {
        await auditChange(tx, before, row)
        if (before.active === true || row.active !== true) return
        // Behind the one of before, where that still runs
        await tx.leave(effectOf(String(row.id)))
      },
      async beforeDelete({ tx, rows }) {
        if (tx.author.dry !== 'counted')
          await recordAudit(tx, ...rows.map((row) => auditOf('webhook-removed', row, { url: row.url as string })))
        for (const { id } of rows) await tx.takeBackEffects(webhookKind, String(id))
      },
    },
  ]
}
