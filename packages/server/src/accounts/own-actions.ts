/**
 * The engine's own actions on users, sessions and keys. Each runs in the transaction of the action,
 * with its record locked.
 */
import { timestampOf } from '../base/clock.ts'
import { ApiError } from '../errors.ts'
import { defaultOf, useDefault } from '../operation/body.ts'
import type {
  ActionInput,
  DraftValues,
  EngineAction,
  EngineActionContext,
  EngineActions,
} from '../record/requested-write.ts'
import { endOtherSessions, rotateKey, verifyAddress } from '../resource/accounts/credential-actions.ts'
import type { ApiKeyMark } from '../resource/accounts/identity-mark.ts'
import type { Catalog, MarkedTable, Resource } from '../resource/catalog.ts'
import { all, equal, type Scalar } from '../resource/condition.ts'
import type { Field } from '../resource/fields/field.ts'
import { inSentence } from '../resource/words/names.ts'
import type { Row } from '../storage/storage.ts'
import { recordAudit } from './audit/audit.ts'
import type { Identity } from './identity.ts'
import { checkKey } from './keys/key-limits.ts'
import { makeTokens } from './passwords/secrets-of-records.ts'
import type { Recovery } from './recovery/recovery.ts'
import { checkCredentialStillValid } from './sessions/credential-still-valid.ts'

type ActionDeps = { readonly catalog: Catalog; readonly identity: () => Identity }

const endOthers: EngineAction['work'] = async ({ tx, requested, record }) => {
  const { resource } = requested
  const { session } = tx.catalog
  const owner = session?.mark.owner as string
  const id = record[resource.idField] as Scalar
  const isOther = { kind: 'compare', field: resource.idField, operator: 'ne', value: id } as const
  await tx.removeWhere(resource, all(equal(owner, record[owner] as Scalar), isOther))
  return { record }
}

/** The values of the old key that the new one has: all that a caller chose. */
function inherited({ resource, mark }: MarkedTable<ApiKeyMark>, old: Row): DraftValues {
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
  return async ({ tx, requested, record: old, input }: EngineActionContext) => {
    const apiKey = catalog.apiKey as MarkedTable<ApiKeyMark>
    const { resource, mark } = apiKey
    const { now } = tx.defaults
    const nowMs = Date.parse(now)
    checkRotates(resource, mark, { old, nowMs })
    const field = rotateKey.input?.overlapSeconds as Field
    const sent = input.overlapSeconds
    const overlap = (sent === undefined || sent === useDefault ? defaultOf(field, tx.defaults) : sent) as number
    const values = inherited(apiKey, old)
    checkKey(catalog, apiKey, { caller: requested.caller, values })
    const revealed = makeTokens(catalog, resource, values)
    const stop = timestampOf(nowMs + overlap * 1000)
    const ends = [old[mark.expiresAt] as string | null, stop].filter((one) => one !== null)
    const made = await tx.prepare(resource, values)
    await recordAudit(tx, {
      event: 'key-rotated',
      userId: old[mark.owner] as Scalar,
      details: { key: old[resource.idField] as Scalar, to: made.values[resource.idField] as Scalar | undefined },
      covers: { resource, row: old },
    })
    await tx.change(resource, old, { [mark.expiresAt]: ends.toSorted()[0], [mark.rotatedAt as string]: now })
    return { record: await tx.insert(made), created: true, revealed }
  }
}

function tokenIn({ token }: ActionInput): string | undefined {
  return typeof token === 'string' ? token : undefined
}

function verification({ catalog, identity }: ActionDeps): EngineAction {
  /** The start has checked that addresses can be proven where this is declared. */
  function recovery(): Recovery {
    const found = identity().recovery
    if (!found) throw new Error('an address is to be proven where no tokens are')
    return found
  }
  return {
    async work({ tx, requested, record: user, input }) {
      await checkCredentialStillValid(tx, catalog, requested.caller)
      const token = tokenIn(input)
      if (token === undefined) await recovery().sendProof(tx, user, requested.languages)
      else await recovery().proveOwn(tx, user, token)
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

export function accountActions(known: ActionDeps): EngineActions {
  return new Map<unknown, EngineAction>([
    [endOtherSessions.run, { work: endOthers }],
    [rotateKey.run, { work: rotation(known.catalog) }],
    [verifyAddress.run, verification(known)],
  ])
}
