/** The actions on users, sessions and keys that the engine does itself. Each runs in the transaction of the action, with its record locked. */

import { tellAudit } from '../accounts/audit.ts'
import type { Recovery } from '../accounts/recovery/recovery.ts'
import { checkStillActs } from '../accounts/sessions/still-acts.ts'
import { timestampOf } from '../base/clock.ts'
import { ApiError } from '../errors.ts'
import { defaultOf, useDefault } from '../operation/body.ts'
import type { ActOperation } from '../operation/operation.ts'
import type { Permitted } from '../policy/policy.ts'
import { endOtherSessions, rotateKey, verifyAddress } from '../resource/accounts/credential-actions.ts'
import type { ApiKeyMark, LoginMark, SessionMark } from '../resource/accounts/identity-mark.ts'
import type { Resource } from '../resource/catalog.ts'
import { all, equal, type Scalar } from '../resource/condition.ts'
import type { Field } from '../resource/fields/field.ts'
import { inSentence } from '../resource/words/names.ts'
import type { Row } from '../storage/storage.ts'
import type { Acting } from './act.ts'
import { checkCredentials, makeTokens } from './credential-writes.ts'
import type { Engine } from './engine.ts'
import { complete } from './read/read.ts'
import type { RecordResult } from './result.ts'
import type { Draft } from './values.ts'
import { judgeOutside } from './write.ts'

type Work = (acting: Acting, record: Row) => Promise<RecordResult>
type Run = () => Promise<RecordResult>

/** `around`: what is done outside of the transaction, which is `run`. */
type OwnAction = {
  readonly work: Work
  readonly around?: (engine: Engine, permitted: Permitted<ActOperation>, run: Run) => Promise<RecordResult>
}

async function resultOf({ engine, permitted, writing }: Acting, record: Row): Promise<RecordResult> {
  const { resource } = permitted.operation
  const [completed] = await complete({ engine, reader: writing, permitted }, resource, [record])
  return { kind: 'record', resource, record: completed as Row, created: false }
}

const endOthers: Work = async (acting, record) => {
  const { resource } = acting.permitted.operation
  const { owner } = resource.identity as SessionMark
  const id = record[resource.idField] as Scalar
  const isOther = { kind: 'compare', field: resource.idField, operator: 'ne', value: id } as const
  await acting.writing.removeWhere(resource, all(equal(owner, record[owner] as Scalar), isOther))
  return resultOf(acting, record)
}

/** What the new key has of the old one: all that somebody chose. */
function inherited({ storedNames, fields, idField }: Resource, mark: ApiKeyMark, old: Row): Draft {
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

const rotate: Work = async ({ engine, permitted, writing }, old) => {
  const { resource, input } = permitted.operation
  const mark = resource.identity as ApiKeyMark
  const { now } = writing.defaults
  const nowMs = Date.parse(now)
  checkRotates(resource, mark, { old, nowMs })
  const field = rotateKey.input?.overlapSeconds as Field
  const sent = input.overlapSeconds
  const overlap = (sent === undefined || sent === useDefault ? defaultOf(field, writing.defaults) : sent) as number
  const values = inherited(resource, mark, old)
  checkCredentials(engine, permitted, { values })
  const revealed = makeTokens(engine, resource, values)
  const ends = [old[mark.expiresAt] as string | null, timestampOf(nowMs + overlap * 1000)].filter((one) => one !== null)
  const made = await writing.prepare(resource, values)
  await tellAudit(writing, {
    event: 'key-rotated',
    userId: old[mark.owner] as Scalar,
    details: { key: old[resource.idField] as Scalar, to: made.values[resource.idField] as Scalar | undefined },
    covers: { resource, row: old },
  })
  await writing.change(resource, old, { [mark.expiresAt]: ends.toSorted()[0], [mark.rotatedAt as string]: now })
  const record = await writing.insert(made)
  const [completed] = await complete({ engine, reader: writing, permitted }, resource, [record])
  return { kind: 'record', resource, record: completed as Row, created: true, revealed }
}

/** The engine's start has seen to it that addresses can be proven where this is declared. */
function recoveryOf({ identity }: Engine): Recovery {
  if (!identity.recovery) throw new Error('an address is to be proven where no tokens are')
  return identity.recovery
}

function tokenOf({ operation }: Permitted<ActOperation>): string | undefined {
  const { token } = operation.input
  return typeof token === 'string' ? token : undefined
}

const verify: Work = async (acting, user) => {
  const { engine, permitted, writing } = acting
  await checkStillActs(writing, engine.catalog, permitted.principal)
  const recovery = recoveryOf(engine)
  const token = tokenOf(permitted)
  if (token === undefined) await recovery.sendProof(writing, user, engine.languages)
  else await recovery.proveOwn(writing, user, token)
  return resultOf(acting, user)
}

/** Judged before it is counted: nobody counts for an account that is not theirs. */
const aroundVerify: OwnAction['around'] = async (engine, permitted, run) => {
  const recovery = recoveryOf(engine)
  const { address = '' } = engine
  const user = await judgeOutside(engine, permitted)
  if (tokenOf(permitted) !== undefined) return recovery.trying(address, run)
  const { login } = permitted.operation.resource.identity as LoginMark
  await recovery.countMail(user[login] as string, address)
  return run()
}

const actions: ReadonlyMap<unknown, OwnAction> = new Map<unknown, OwnAction>([
  [endOtherSessions.run, { work: endOthers }],
  [rotateKey.run, { work: rotate }],
  [verifyAddress.run, { work: verify, around: aroundVerify }],
])

/** Undefined for an action of the declaration's own, and where there is none. */
export function ownActionOf(action: { readonly run: unknown } | undefined): OwnAction | undefined {
  return actions.get(action?.run)
}
