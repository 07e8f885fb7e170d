/**
 * Makes the records of endpoints that the application declares equal to their declarations, at
 * start. Processes that start at once do it one after another.
 */
import { isDeepStrictEqual } from 'node:util'
import type { ServedEngine } from '../../accounts/served-engine.ts'
import { timestampOf } from '../../base/clock.ts'
import { ApiError, StartError } from '../../errors.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import { all, type Condition } from '../../resource/condition.ts'
import { consolePrincipal } from '../../resource/principal.ts'
import type { WebhookEndpointDeclaration, WebhookSetting } from '../../resource/webhooks/declare-endpoint.ts'
import { findWebhooks } from '../../resource/webhooks/find-webhooks.ts'
import { undeclaredReason } from '../../resource/webhooks/webhook-words.ts'
import { serviceAuthor } from '../../storage/changes.ts'
import type { Row, Values } from '../../storage/storage.ts'
import { isSecret } from '../../webhook/signature.ts'
import { makeOwnerFeed } from '../owner-feed.ts'
import { sealedFor, type WebhookRoom } from '../webhook-room.ts'
import { checkEndpoint } from './endpoint-checks.ts'

const lockName = 'bindery webhook endpoints'
/** How long the secret before signs too, after the setting has another. */
const overlapMs = 24 * 60 * 60_000
const rowsMax = 10_000

type DeclaredRoom = Pick<WebhookRoom, 'engine' | 'tables' | 'feed' | 'seal'>

/** `secret`: in plain text. */
type WantedEndpoint = { readonly name: string; readonly values: Values; readonly secret: string }

type WantedValue = { readonly name: string; readonly member: string; readonly said: string | WebhookSetting }

/** Throws `StartError`. */
function readSetting({ engine: { settings } }: DeclaredRoom, { name, member, said }: WantedValue): string | null {
  if (typeof said === 'string') return said
  let value: unknown
  try {
    value = said({ settings })
  } catch (cause) {
    throw new StartError(`webhooks: endpoints.${name}.${member}: ${(cause as Error).message}`, { cause })
  }
  if (value === null || value === undefined || value === '') return null
  if (typeof value === 'string') return value
  throw new StartError(`webhooks: endpoints.${name}.${member}: the function must return a text or null`)
}

function secretFor(room: DeclaredRoom, name: string, said: WebhookSetting): string {
  const secret = readSetting(room, { name, member: 'secret', said })
  if (secret !== null && isSecret(secret)) return secret
  const problem = secret === null ? 'has no value' : 'is not whsec_ and 16 to 64 bytes in base64'
  throw new StartError(`webhooks: endpoints.${name}.secret: the setting ${problem}`)
}

/** Undefined where it has no address. Throws `StartError`. */
function wantedOf(room: DeclaredRoom, name: string, said: WebhookEndpointDeclaration): WantedEndpoint | undefined {
  const { engine, tables, feed } = room
  const address = readSetting(room, { name, member: 'url', said: said.url })
  if (address === null) return undefined
  const secret = secretFor(room, name, said.secret)
  try {
    const field = tables.endpoints.fields.url
    const { description = null, resources, events = null, filters = null, recordFields = null } = said
    const values = {
      ...{ url: field?.type.check(address, 'url', field), description, resources, events, filters, recordFields },
      ...{ body: said.body ?? 'full', inOrder: said.inOrder ?? false },
    }
    checkEndpoint(engine, feed.resources, { values, caller: consolePrincipal(engine.catalog) })
    return { name, values, secret }
  } catch (error) {
    if (error instanceof ApiError)
      throw new StartError(`webhooks: endpoints.${name}: ${error.message}`, { cause: error })
    throw error
  }
}

/** The members of a row that differ from its declaration. */
function changesOf({ seal, engine }: DeclaredRoom, row: Row, { values, secret }: WantedEndpoint): Values {
  const differ = Object.entries(values).filter(([name, value]) => !isDeepStrictEqual(row[name], value))
  const isAgain = row.active === false && (row.disabledReason === undeclaredReason || row.url !== values.url)
  const isSame = seal.open(String(row.secret), sealedFor)?.text === secret
  const rotated = {
    secret: seal.seal(secret, sealedFor),
    previousSecret: row.secret,
    previousUntil: timestampOf(engine.clock() + overlapMs),
  }
  return { ...Object.fromEntries(differ), ...(isAgain && { active: true }), ...(!isSame && rotated) }
}

async function keep(
  tx: RecordTransaction,
  room: DeclaredRoom,
  { wanted, begin }: { wanted: readonly WantedEndpoint[]; begin: string },
) {
  const {
    tables: { endpoints },
    seal,
  } = room
  await tx.lockName(lockName)
  const where: Condition = { kind: 'null', field: 'declaredAs', isNull: false }
  const sort = [{ field: 'id', descending: false }]
  const rows = await tx.lockAll(endpoints, { where: all(where), sort, limit: rowsMax, after: null })
  const byName = new Map(rows.map((row) => [String(row.declaredAs), row]))
  for (const one of wanted) {
    const row = byName.get(one.name)
    byName.delete(one.name)
    const made = { ...one.values, declaredAs: one.name, secret: seal.seal(one.secret, sealedFor), begin }
    if (!row) await tx.insert(await tx.prepare(endpoints, made))
    else {
      const changes = changesOf(room, row, one)
      if (Object.keys(changes).length > 0) await tx.change(endpoints, row, changes)
    }
  }
  const off = { active: false, disabledAt: tx.defaults.now, disabledReason: undeclaredReason }
  for (const row of byName.values()) if (row.active === true) await tx.change(endpoints, row, off)
}

/** Throws `StartError` where a setting or a filter is wrong. */
export async function keepDeclared(engine: ServedEngine): Promise<void> {
  const tables = findWebhooks(engine.catalog)
  const feed = makeOwnerFeed(engine)
  const seal = engine.identity.storedSeal
  if (!tables || !feed || !seal) return
  const room = { engine, tables, feed, seal }
  const wanted = [...tables.declared].flatMap(([name, said]) => wantedOf(room, name, said) ?? [])
  const begin = await feed.end()
  await engine.records.transaction(serviceAuthor, (tx) => keep(tx, room, { wanted, begin }))
}
