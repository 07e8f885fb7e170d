/**
 * The actions on users, sessions and keys that the engine does itself. Each runs in the transaction
 * of the action, with its record locked.
 */
import { timestampOf } from '../base/clock.ts'
import { ApiError } from '../errors.ts'
import { defaultOf, useDefault } from '../operation/body.ts'
import type { Acting, Draft, EngineAction, EngineActions, Input } from '../record/asked.ts'
import { endOtherSessions, rotateKey, verifyAddress } from '../resource/accounts/credential-actions.ts'
import type { ApiKeyMark } from '../resource/accounts/identity-mark.ts'
import type { Catalog, Marked, Resource } from '../resource/catalog.ts'
import { all, equal, type Scalar } from '../resource/condition.ts'
import type { Field } from '../resource/fields/field.ts'
import { inSentence } from '../resource/words/names.ts'
import type { Row } from '../storage/storage.ts'
import { tellAudit } from './audit/audit.ts'
import type { Identity } from './identity.ts'
import { checkKey } from './keys/key-limits.ts'
import { makeTokens } from './passwords/secrets-of-records.ts'
import type { Recovery } from './recovery/recovery.ts'
import { checkStillActs } from './sessions/still-acts.ts'

type Known = { readonly catalog: Catalog; readonly identity: () => Identity }

const endOthers: EngineAction['work'] = async ({ writing, asked, record }) => {
  const { resource } = asked
  const { session } = writing.catalog
  const owner = session?.mark.owner as string
  const id = record[resource.idField] as Scalar
  const isOther = { kind: 'compare', field: resource.idField, operator: 'ne', value: id } as const
  await writing.removeWhere(resource, all(equal(owner, record[owner] as Scalar), isOther))
  return { record }
}

/** The values of the old key that the new one has: all that a caller chose. */
function inherited({ resource, mark }: Marked<ApiKeyMark>, old: Row): Draft {
  const { storedNames, fields, idField } = resource
  const noted = [mark.lastUsedAt, mark.lastUsedFrom, mark.prefix, mark.rotatedAt, mark.token, idField]
  const names = storedNames.filter((name) => {
    const { setBy } = fields[name] as Field
    return !noted.includes(name) && setBy !== 'create' && setBy !== 'write'
  })
  return Object.fromEntries(names.map((name) => [name, old[name]]))
}

/** Throws `conflict` for a key that another one has taken the place of, or that does not work. */
function checkRotates({ label }: Resource, mark: ApiKeyMark, { old, nowMs }: { old: Row; nowMs: number }): void {
  const name = inSentence(label)
  if (old[mark.rotatedAt as string] !== null)
    throw new ApiError('conflict', `This ${name} was rotated already; rotate the one that took its place`)
  const ends = old[mark.expiresAt] as string | null
  if (old[mark.active] !== true || (ends !== null && Date.parse(ends) <= nowMs))
    throw new ApiError('conflict', `This ${name} does not work any more; make a new one`)
}

function rotation(catalog: Catalog): EngineAction['work'] {
  return async ({ writing, asked, record: old, input }: Acting) => {
    const apiKey = catalog.apiKey as Marked<ApiKeyMark>
    const { resource, mark } = apiKey
    const { now } = writing.defaults
    const nowMs = Date.parse(now)
    checkRotates(resource, mark, { old, nowMs })
    const field = rotateKey.input?.overlapSeconds as Field
    const sent = input.overlapSeconds
    const overlap = (sent === undefined || sent === useDefault ? defaultOf(field, writing.defaults) : sent) as number
    const values = inherited(apiKey, old)
    checkKey(catalog, apiKey, { caller: asked.caller, values })
    const revealed = makeTokens(catalog, resource, values)
    const stop = timestampOf(nowMs + overlap * 1000)
    const ends = [old[mark.expiresAt] as string | null, stop].filter((one) => one !== null)
    const made = await writing.prepare(resource, values)
    await tellAudit(writing, {
      event: 'key-rotated',
      userId: old[mark.owner] as Scalar,
      details: { key: old[resource.idField] as Scalar, to: made.values[resource.idField] as Scalar | undefined },
      covers: { resource, row: old },
    })
    await writing.change(resource, old, { [mark.expiresAt]: ends.toSorted()[0], [mark.rotatedAt as string]: now })
    return { record: await writing.insert(made), created: true, revealed }
  }
}

function tokenIn({ token }: Input): string | undefined {
  return typeof token === 'string' ? token : undefined
}

function verification({ catalog, identity }: Known): EngineAction {
  /** The engine's start has seen to it that addresses can be proven where this is declared. */
  function recovery(): Recovery {
    const found = identity().recovery
    if (!found) throw new Error('an address is to be proven where no tokens are')
    return found
  }
  return {
    async work({ writing, asked, record: user, input }) {
      await checkStillActs(writing, catalog, asked.caller)
      const token = tokenIn(input)
      if (token === undefined) await recovery().sendProof(writing, user, asked.languages)
      else await recovery().proveOwn(writing, user, token)
      return { record: user }
    },
    /** Judged before it is counted: no request counts for an account of another user. */
    async around({ address = '', input }, judge, run) {
      const user = await judge()
      if (tokenIn(input) !== undefined) return recovery().trying(address, run)
      await recovery().countMail(user[catalog.login?.mark.login as string] as string, address)
      return run()
    },
  }
}

export function accountActions(known: Known): EngineActions {
  return new Map<unknown, EngineAction>([
    [endOtherSessions.run, { work: endOthers }],
    [rotateKey.run, { work: rotation(known.catalog) }],
    [verifyAddress.run, verification(known)],
  ])
}
