/**
 * Write steps that audit every write to users, sessions and keys, on every path. Audit events are
 * only added: an erasure alone changes one, and only the service removes old ones.
 */
import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '../../errors.ts'
import type { DeletingEvent, UpdatedEvent, WriteStep } from '../../record/stages.ts'
import type { AuditEvent } from '../../resource/accounts/audit-events.ts'
import type { ApiKeyMark, LinkedAccountMark, LoginMark, SessionMark } from '../../resource/accounts/identity-mark.ts'
import type { Catalog, MarkedTable, Resource } from '../../resource/catalog.ts'
import type { Scalar } from '../../resource/condition.ts'
import { serviceAuthor } from '../../storage/changes.ts'
import type { Row, Values } from '../../storage/storage.ts'
import { type AuditEntry, isAudited, isErasing, recordAudit } from './audit.ts'

function keptSteps({ resource }: MarkedTable<unknown>): WriteStep[] {
  return [
    {
      name: 'audit is kept',
      resources: [resource],
      mayWrite({ tx, verb }) {
        if (verb === 'update' && isErasing(tx)) return
        if (verb === 'delete' && tx.author.credential === serviceAuthor.credential) return
        throw new ApiError('forbidden', `${resource.label} records are never changed or deleted`)
      },
    },
  ]
}

const idOf = ({ idField }: Resource, row: Values) => (row[idField] ?? null) as Scalar | null

/** Whether the record goes with its user: the audit then records the user's removal alone. */
const goesWithUser = ({ going }: DeletingEvent, login: MarkedTable<LoginMark> | undefined) =>
  login !== undefined && going.has(login.resource)

/** The rows of a removal that the audit records: none for a removal that is only counted. */
function toldRows(removal: DeletingEvent, login: MarkedTable<LoginMark> | undefined): readonly Row[] {
  const { tx, resource, rows } = removal
  if (tx.author.dry === 'counted' || goesWithUser(removal, login)) return []
  return rows.filter((row) => !isAudited(tx, resource, row))
}

function userChanges({ resource, mark }: MarkedTable<LoginMark>, { before, row }: UpdatedEvent): AuditEntry[] {
  const userId = row[resource.idField] as Scalar
  const differs = (name: string | undefined): name is string => name !== undefined && before[name] !== row[name]
  const fromTo = (name: string) => ({ from: before[name] as string, to: row[name] as string })
  const told: AuditEntry[] = []
  if (differs(mark.secret)) told.push({ event: 'password-changed', userId })
  if (differs(mark.login)) told.push({ event: 'email-changed', userId, details: fromTo(mark.login) })
  if (differs(mark.role)) told.push({ event: 'role-changed', userId, details: fromTo(mark.role) })
  if (differs(mark.status)) told.push({ event: 'status-changed', userId, details: fromTo(mark.status) })
  return told
}

function ofUsers(login: MarkedTable<LoginMark>): WriteStep {
  const { resource, mark } = login
  return {
    name: 'audit of users',
    resources: [resource],
    fields: [mark.login, mark.secret, mark.role, ...(mark.status === undefined ? [] : [mark.status])],
    afterCreate: ({ tx, rows, reason }) =>
      recordAudit(
        tx,
        ...rows.map((row): AuditEntry => {
          const details = { role: row[mark.role] as string }
          return { event: (reason as AuditEvent | undefined) ?? 'user-created', userId: idOf(resource, row), details }
        }),
      ),
    async afterUpdate(write) {
      if (!isAudited(write.tx, resource, write.row)) await recordAudit(write.tx, ...userChanges(login, write))
    },
    async beforeDelete(write) {
      const rows = toldRows(write, login)
      await recordAudit(
        write.tx,
        ...rows.map((row): AuditEntry => ({ event: 'user-deleted', userId: idOf(resource, row) })),
      )
    },
  }
}

/**
 * One event for each user, however many sessions end at once. Sessions that had expired are left
 * out.
 */
function ofSessions(
  { resource, mark }: MarkedTable<SessionMark>,
  login: MarkedTable<LoginMark> | undefined,
): WriteStep {
  return {
    name: 'audit of sessions',
    resources: [resource],
    async beforeDelete(write) {
      const { now } = write.tx.defaults
      const ended = toldRows(write, login).filter((row) => !isOver(row[mark.expiresAt], now))
      const told = [...Map.groupBy(ended, (row) => row[mark.owner] as Scalar)].map(
        ([userId, [first, ...more]]): AuditEntry =>
          more.length === 0
            ? { event: 'session-ended', userId, details: { session: first?.[resource.idField] as Scalar } }
            : { event: 'sessions-ended', userId, details: { sessions: more.length + 1 } },
      )
      await recordAudit(write.tx, ...told)
    },
  }
}

const isOver = (endsAt: unknown, now: string) => typeof endsAt === 'string' && endsAt <= now

function ofKeys(apiKey: MarkedTable<ApiKeyMark>, login: MarkedTable<LoginMark> | undefined): WriteStep {
  const { resource, mark } = apiKey
  const names = resource.storedNames.filter((name) => resource.fields[name]?.setBy !== 'write')
  // The server notes a use without reading the key, and the audit leaves these notes out.
  const noted: readonly unknown[] = [mark.lastUsedAt, mark.lastUsedFrom]
  const told = (event: AuditEvent, row: Values, more: AuditEntry['details'] = {}): AuditEntry => {
    const details = { key: idOf(resource, row), ...more }
    return { event, userId: row[mark.owner] as Scalar, details }
  }
  return {
    name: 'audit of keys',
    resources: [resource],
    fields: names.filter((name) => !noted.includes(name)),
    afterCreate: ({ tx, rows, reason }) =>
      recordAudit(tx, ...rows.map((row) => told((reason as AuditEvent | undefined) ?? 'key-created', row))),
    async afterUpdate({ tx, before, row }) {
      const differing = names.filter((name) => !isDeepStrictEqual(before[name], row[name]))
      if (differing.length === 0 || isAudited(tx, resource, row)) return
      await recordAudit(tx, told('key-changed', row, { fields: differing.join(' ') }))
    },
    async beforeDelete(write) {
      const { author, defaults } = write.tx
      const isSwept = author.credential === serviceAuthor.credential
      const removed = toldRows(write, login).filter((row) => !isSwept || !isOver(row[mark.expiresAt], defaults.now))
      await recordAudit(write.tx, ...removed.map((row) => told('key-deleted', row)))
    },
  }
}

function ofLinks(
  { resource, mark }: MarkedTable<LinkedAccountMark>,
  login: MarkedTable<LoginMark> | undefined,
): WriteStep {
  const told = (event: AuditEvent, row: Values): AuditEntry => {
    return { event, userId: row[mark.owner] as Scalar, details: { issuer: row[mark.issuer] as string } }
  }
  return {
    name: 'audit of log-ins by others',
    resources: [resource],
    afterCreate: ({ tx, rows }) => recordAudit(tx, ...rows.map((row) => told('link-added', row))),
    beforeDelete: (write) => recordAudit(write.tx, ...toldRows(write, login).map((row) => told('link-removed', row))),
  }
}

/**
 * Empty in an application without an audit. The log-in itself audits a session that begins, because
 * it knows which proof was given.
 */
export function auditSteps({ audit, login, session, apiKey, linkedAccount }: Catalog): WriteStep[] {
  if (!audit) return []
  return [
    ...keptSteps(audit),
    ...(login ? [ofUsers(login)] : []),
    ...(session ? [ofSessions(session, login)] : []),
    ...(apiKey ? [ofKeys(apiKey, login)] : []),
    ...(linkedAccount ? [ofLinks(linkedAccount, login)] : []),
  ]
}
