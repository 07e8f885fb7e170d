/**
 * What the audit says of writes to users, sessions and keys, whichever way they come. Audit events themselves are only ever added: nothing
 * changes one, and only the service removes those that are old enough.
 */
import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '../errors.ts'
import type { AuditEvent } from '../resource/accounts/audit-events.ts'
import type { LinkedAccountMark } from '../resource/accounts/identity-mark.ts'
import type { Marked, Resource } from '../resource/catalog.ts'
import type { Scalar } from '../resource/condition.ts'
import { serviceAuthor } from '../storage/changes.ts'
import type { Row, Values } from '../storage/storage.ts'
import { type Told, tell } from './audit.ts'
import type { Door } from './records.ts'
import { seenKey } from './stored-values.ts'
import type { Going } from './touch.ts'

/** Throws `forbidden` where the records are audit events. */
export function refuseRewriting({ catalog }: Door, resource: Resource): void {
  if (resource === catalog.audit?.resource)
    throw new ApiError('forbidden', `${resource.label} records are never changed or deleted`)
}

/** The same for a removal, which the service itself may do. */
export function refuseRemoval(door: Door, resource: Resource): void {
  if (door.author.credential !== serviceAuthor.credential) refuseRewriting(door, resource)
}

/** Whether the audit says who made a record of this resource. */
export function isAudited({ catalog }: Door, resource: Resource): boolean {
  const { audit, login, apiKey, linkedAccount } = catalog
  return audit !== undefined && [login, apiKey, linkedAccount].some((one) => resource === one?.resource)
}

function linkTold({ mark }: Marked<LinkedAccountMark>, event: AuditEvent, row: Values): Told {
  return { event, userId: row[mark.owner] as Scalar, details: { issuer: row[mark.issuer] as string } }
}

type Inserted = {
  readonly resource: Resource
  readonly rows: readonly Values[]
  readonly event?: AuditEvent | undefined
}

/** New users, new keys and new links to other issuers. A session that begins is told by whatever the user has proven. */
export async function tellInserted(door: Door, { resource, rows, event }: Inserted): Promise<void> {
  const { audit, login, apiKey, linkedAccount } = door.catalog
  if (!audit) return
  const told = rows.map((row): Told | undefined => {
    const id = (row[resource.idField] ?? null) as Scalar | null
    if (resource === login?.resource)
      return { event: event ?? 'user-created', userId: id, details: { role: row[login.mark.role] as string } }
    if (resource === linkedAccount?.resource) return linkTold(linkedAccount, 'link-added', row)
    if (resource !== apiKey?.resource) return undefined
    return { event: event ?? 'key-created', userId: row[apiKey.mark.owner] as Scalar, details: { key: id } }
  })
  await tell(
    door,
    told.filter((one) => one !== undefined),
  )
}

type Changed = { readonly resource: Resource; readonly before: Row; readonly row: Row }

function userChanges({ catalog }: Door, { before, row }: Changed): Told[] {
  const { resource, mark } = catalog.login as NonNullable<typeof catalog.login>
  const userId = row[resource.idField] as Scalar
  const differs = (name: string | undefined): name is string => name !== undefined && before[name] !== row[name]
  const fromTo = (name: string) => ({ from: before[name] as string, to: row[name] as string })
  const told: Told[] = []
  if (differs(mark.secret)) told.push({ event: 'password-changed', userId })
  if (differs(mark.login)) told.push({ event: 'email-changed', userId, details: fromTo(mark.login) })
  if (differs(mark.role)) told.push({ event: 'role-changed', userId, details: fromTo(mark.role) })
  if (differs(mark.status)) told.push({ event: 'status-changed', userId, details: fromTo(mark.status) })
  return told
}

function keyChanges({ catalog }: Door, { resource, before, row }: Changed): Told[] {
  const { mark } = catalog.apiKey as NonNullable<typeof catalog.apiKey>
  const fields = resource.storedNames.filter(
    (name) => resource.fields[name]?.setBy !== 'write' && !isDeepStrictEqual(before[name], row[name]),
  )
  if (fields.length === 0) return []
  const details = { key: row[resource.idField] as Scalar, fields: fields.join(' ') }
  return [{ event: 'key-changed', userId: row[mark.owner] as Scalar, details }]
}

export async function tellChanged(door: Door, changed: Changed): Promise<void> {
  const { audit, login, apiKey } = door.catalog
  const { resource, row } = changed
  if (!audit || door.told.has(seenKey(resource, row[resource.idField]))) return
  if (resource === login?.resource) await tell(door, userChanges(door, changed))
  else if (resource === apiKey?.resource) await tell(door, keyChanges(door, changed))
}

type Leaving = { readonly resource: Resource; readonly rows: readonly Row[]; readonly going: Going }

/** One event a user, however many sessions end at once. */
function sessionsEnd({ catalog }: Door, { resource, rows }: Pick<Leaving, 'resource' | 'rows'>): Told[] {
  const { mark } = catalog.session as NonNullable<typeof catalog.session>
  return [...Map.groupBy(rows, (row) => row[mark.owner] as Scalar)].map(([userId, [first, ...more]]) =>
    more.length === 0
      ? { event: 'session-ended', userId, details: { session: first?.[resource.idField] as Scalar } }
      : { event: 'sessions-ended', userId, details: { sessions: more.length + 1 } },
  )
}

/** Before rows are removed. What goes with its user is not told one by one, and neither is what had expired. */
export async function tellGoing(door: Door, { resource, rows, going }: Leaving): Promise<void> {
  const { audit, login, session, apiKey, linkedAccount } = door.catalog
  if (!audit || (login && going.has(login.resource))) return
  const left = rows.filter((row) => !door.told.has(seenKey(resource, row[resource.idField])))
  const isOver = (row: Row, name: string) => typeof row[name] === 'string' && (row[name] as string) <= door.now
  const isSwept = door.author.credential === serviceAuthor.credential
  if (resource === login?.resource) {
    const userIds = left.map((row) => row[resource.idField] as Scalar)
    await tell(
      door,
      userIds.map((userId) => ({ event: 'user-deleted', userId })),
    )
  } else if (resource === session?.resource) {
    const ended = left.filter((row) => !isOver(row, session.mark.expiresAt))
    await tell(door, sessionsEnd(door, { resource, rows: ended }))
  } else if (resource === linkedAccount?.resource) {
    await tell(
      door,
      left.map((row) => linkTold(linkedAccount, 'link-removed', row)),
    )
  } else if (resource === apiKey?.resource) {
    const removed = left.filter((row) => !isSwept || !isOver(row, apiKey.mark.expiresAt))
    const { mark } = apiKey
    await tell(
      door,
      removed.map((row) => {
        const details = { key: row[resource.idField] as Scalar }
        return { event: 'key-deleted', userId: row[mark.owner] as Scalar, details }
      }),
    )
  }
}
