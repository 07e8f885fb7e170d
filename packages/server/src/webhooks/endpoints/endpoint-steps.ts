/**
 * Write steps of endpoints: what they may name, their secret, and the effect that runs each. An
 * endpoint that is switched on begins where it was.
 */
import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type AuditEntry, recordAudit } from '../../accounts/audit/audit.ts'
import { ApiError, StartError } from '../../errors.ts'
import { feedResources } from '../../events/feed-room.ts'
import type { Engine } from '../../perform/engine.ts'
import type { Policy } from '../../policy/policy.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import type { StageInput } from '../../record/requested-write.ts'
import type { WriteStep } from '../../record/stages.ts'
import type { AuditEvent } from '../../resource/accounts/audit-events.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { isAtConsole } from '../../resource/principal.ts'
import { findWebhooks, type WebhookCatalog } from '../../resource/webhooks/find-webhooks.ts'
import type { ReadStorage, Values } from '../../storage/storage.ts'
import { secretOf } from '../../webhook/signature.ts'
import { endOfLog } from '../owner-feed.ts'
import { type SecretSeal, sealedFor, webhookKind } from '../webhook-room.ts'
import { effectOf } from '../webhook-runs.ts'
import { checkEndpoint } from './endpoint-checks.ts'

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

/** The fields that people choose. */
const chosen = ['url', 'description', 'resources', 'events', 'filters', 'recordFields', 'body', 'inOrder', 'active']

export const declaredNote = (name: unknown) => `The endpoint is "${name}" in the declaration of webhooks`

/** Of one that the application declares, people change no more than whether it is on. */
function refuseDeclared({ declared }: WebhookCatalog, { values, before }: StageInput): void {
  const name = before?.declaredAs
  if (!before || typeof name !== 'string') return
  const changed = chosen.find((one) => one in values && !isDeepStrictEqual(values[one] ?? null, before[one]))
  if (changed !== undefined && changed !== 'active')
    throw new ApiError('conflict', `${declaredNote(name)}, which says its ${changed}; change it there`)
  if (changed === 'active' && values.active === true && !declared.has(name))
    throw new ApiError('conflict', `The declaration of webhooks has no endpoint "${name}" any more`)
}

/** It is sent what its owner may see, so those who manage it do not say where that goes. */
function refuseMove({ values, before, caller }: StageInput): void {
  if (!before || values.url === undefined || values.url === before.url || isAtConsole(caller)) return
  if (caller.kind === 'user' && caller.userId === before.userId) return
  throw new ApiError(
    'forbidden',
    'Only the owner of an endpoint sets its url, since it is sent what the owner may see; switch it off, or remove it',
  )
}

function auditOf(event: AuditEvent, row: Values, details: AuditEntry['details']): AuditEntry {
  return { event, userId: row.userId as string | null, details: { endpoint: row.id as string, ...details } }
}

async function auditChange(tx: RecordTransaction, before: Values, row: Values): Promise<void> {
  if (before.secret !== row.secret) await recordAudit(tx, auditOf('webhook-rotated', row, {}))
  const fields = chosen.filter((name) => !isDeepStrictEqual(before[name], row[name]))
  if (fields.length === 0) return
  const isByServer = row.active === false && row.disabledReason !== null && before.disabledReason === null
  const details = isByServer ? { why: row.disabledReason as string } : { fields: fields.join(' ') }
  await recordAudit(tx, auditOf(isByServer ? 'webhook-switched-off' : 'webhook-changed', row, details))
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
        refuseDeclared(tables, sent)
        refuseMove(sent)
        checkEndpoint({ ...deps, policy: deps.policy() }, told, sent)
      },
      mayRemove({ before }) {
        const { declaredAs } = before
        if (typeof declaredAs === 'string' && tables.declared.has(declaredAs))
          throw new ApiError('conflict', `${declaredNote(declaredAs)}; remove it there`)
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
