/**
 * Erases a record and every copy of its values, in one transaction: one that is killed has changed
 * nothing, and can run again.
 */
import { ApiError } from '../../errors.ts'
import type { Engine } from '../../perform/engine.ts'
import { authorOf } from '../../record/author.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import { RestrictedError, toRestrictedError } from '../../record/references/restricted.ts'
import { emptiedIn } from '../../record/removal/empty-personal.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { all, any, type Condition, equal, type Scalar } from '../../resource/condition.ts'
import { linkFields } from '../../resource/made/link-table.ts'
import type { Principal } from '../../resource/principal.ts'
import { invitationFields } from '../../resource/tenancy/invitation-table.ts'
import type { Author } from '../../storage/changes.ts'
import type { ChangedRecord, ErasedCopies, Row } from '../../storage/storage.ts'
import { recordAudit, whileErasing } from '../audit/audit.ts'
import type { ClientOrigin } from '../sessions/session.ts'

export type Erased = ErasedCopies & {
  readonly id: Scalar
  /** Records that stay and lost their personal values, by the names of resources. */
  readonly emptied: Readonly<Record<string, number>>
  /** Events of the audit that lost their details. */
  readonly events: number
  /** How many other records have the login of the user in a text, by the names of resources. */
  readonly left: Readonly<Record<string, number>>
}

type Erasure = {
  readonly resource: Resource
  readonly where: Condition
  /** In whose name it happens: a refusal names what this caller may see. */
  readonly principal: Principal
  /** The client of a request, for the audit. */
  readonly origin?: Pick<ClientOrigin, 'address' | 'userAgent'>
  /** Only counts. */
  readonly dry: boolean
}

/** Rolls the transaction of a dry run back. */
class Rollback extends Error {}

const batchRows = 500

/** The record, or one in its trash. Throws `not-found`. */
async function findIn(tx: RecordTransaction, { resource, where }: Erasure): Promise<{ of: Resource; row: Row }> {
  for (const of of [resource, ...(resource.trash ? [resource.trash.resource] : [])]) {
    const found = await tx.lock(of, where, { toDelete: true })
    if (found) return { of, row: found.row }
  }
  throw new ApiError('not-found', `${resource.label} not found`)
}

/** Events stay, so that the audit has no gap; the id names no person any more. */
async function scrubAudit(tx: RecordTransaction, user: Scalar): Promise<number> {
  const { audit } = tx.catalog
  if (!audit) return 0
  const { resource, mark } = audit
  const about = any(equal(mark.user, user), equal(mark.actor, user))
  const sort = [{ field: resource.idField, descending: false }]
  let [count, last] = [0, undefined as Scalar | undefined]
  for (;;) {
    const after: Condition[] =
      last === undefined ? [] : [{ kind: 'compare', field: resource.idField, operator: 'gt', value: last }]
    const rows = await tx.list(resource, { where: all(about, ...after), sort, limit: batchRows })
    const ids = rows.map((row) => row[resource.idField] as Scalar)
    const none = { [mark.address]: null, [mark.userAgent]: null, [mark.details]: [] }
    await whileErasing(tx, () => tx.changeAll(resource, ids, none))
    count += ids.length
    last = ids.at(-1)
    if (rows.length < batchRows) return count
  }
}

/** Links of versions name the record by its id alone, so they do not go with it. */
async function removeVersionLinks(tx: RecordTransaction, target: Resource, id: Scalar): Promise<void> {
  for (const { traits, links } of tx.catalog.resources.values()) {
    if (traits.made?.kind !== 'history') continue
    for (const { table } of Object.values(links).filter((one) => one.target === target))
      for (const one of [table, ...(table.trash ? [table.trash.resource] : [])])
        await tx.removeWhere(one, equal(linkFields.to, id))
  }
}

/** Mails and invitations to the address, which name no user. */
async function removeMails(tx: RecordTransaction, login: string): Promise<void> {
  const { outgoingMail, tenancies } = tx.catalog
  for (const { invitations } of tenancies.values())
    if (invitations) await tx.removeWhere(invitations.resource, equal(invitationFields.email, login))
  if (outgoingMail) await tx.removeWhere(outgoingMail.resource, equal(outgoingMail.mark.recipient, login))
}

/** Other records that have the login: the operator decides about them. */
async function findLeft(tx: RecordTransaction, { resources }: Catalog, login: string) {
  const left: Record<string, number> = {}
  for (const resource of resources.values()) {
    const texts = resource.storedNames.filter((name) => {
      const type = resource.fields[name]?.type
      return type?.column === 'text' && type.secret === undefined && type.referredBy === undefined
    })
    const names = texts.filter((name) => !resource.fields[name]?.reference)
    const count = names.length === 0 ? 0 : await tx.count(resource, any(...names.map((name) => equal(name, login))))
    if (count > 0) left[resource.name] = count
  }
  return left
}

/** Whether these are versions, or versions in the trash. */
function isOfVersions(resources: Catalog['resources'], name: string): boolean {
  const made = resources.get(name)?.traits.made
  return made?.kind === 'history' || (made?.kind === 'trash' && isOfVersions(resources, made.of))
}

/** Without versions, which are part of their record. */
function countEmptied({ resources }: Catalog, records: readonly ChangedRecord[]): Readonly<Record<string, number>> {
  const ids = Map.groupBy(records, ({ resource }) => resource)
  const counted = [...ids].filter(([name]) => !isOfVersions(resources, name))
  return Object.fromEntries(counted.map(([name, some]) => [name, new Set(some.map(({ id }) => id)).size]))
}

async function eraseIn(tx: RecordTransaction, erasure: Erasure): Promise<Erased> {
  const { of, row } = await findIn(tx, erasure)
  const id = row[of.idField] as Scalar
  const { login } = tx.catalog
  const name = login?.resource === of ? String(row[login.mark.login]) : undefined
  await tx.remove(of, row, { erases: true })
  await removeVersionLinks(tx, erasure.resource, id)
  if (name !== undefined) await removeMails(tx, name)
  const events = name === undefined ? 0 : await scrubAudit(tx, id)
  const changed = emptiedIn(tx)
  const copies = await tx.eraseCopies(name === undefined ? [] : [name, `"userId":"${id}"`], changed)
  const left = name === undefined ? {} : await findLeft(tx, tx.catalog, name)
  const details = { resource: erasure.resource.name, id }
  await recordAudit(tx, { event: 'erased', userId: name === undefined ? null : id, details })
  return { ...copies, id, emptied: countEmptied(tx.catalog, changed), events, left }
}

/** Throws `not-found`, and `conflict` where a record that refers to it refuses. */
export async function eraseRecord(engine: Engine, erasure: Erasure): Promise<Erased> {
  const { records, policy } = engine
  const { principal, origin } = erasure
  const author: Author = { ...authorOf(principal), ...origin }
  let erased: Erased | undefined
  const eraseAll = async (tx: RecordTransaction) => {
    try {
      erased = await eraseIn(tx, erasure)
      await tx.settle()
    } catch (error) {
      if (!(error instanceof RestrictedError)) throw error
      throw await toRestrictedError(error, tx, (resource) => policy.view(principal, resource))
    }
  }
  try {
    await records.transaction(author, async (tx) => {
      await eraseAll(tx)
      if (erasure.dry) throw new Rollback()
    })
  } catch (error) {
    if (!(error instanceof Rollback)) throw error
  }
  return erased as Erased
}
