/**
 * The audit of accounts. Each event is written in the transaction of the change that it records, so
 * neither is stored without the other. An application without an audit table has no audit.
 */
import type { RecordTransaction } from '../../record/record-store.ts'
import type { AuditEvent } from '../../resource/accounts/audit-events.ts'
import type { AuditMark } from '../../resource/accounts/identity-mark.ts'
import type { MarkedTable, Resource } from '../../resource/catalog.ts'
import type { Scalar } from '../../resource/condition.ts'
import type { Field } from '../../resource/fields/field.ts'
import { type Author, storedCredential } from '../../storage/changes.ts'
import type { Row, Values } from '../../storage/storage.ts'

/** One event. Members that are absent follow from the author of the transaction. */
export type AuditEntry = {
  readonly event: AuditEvent
  /** The user whom it happened to; null where unknown. */
  readonly userId: Scalar | null
  /** The user who did it. */
  readonly actorId?: Scalar | null
  /** `session:ID`, `key:ID`, `console`, `service` or null. */
  readonly credential?: string | null
  /** Further facts, in a few short words. Secrets do not belong here. */
  readonly details?: Readonly<Record<string, Scalar | null | undefined>>
  /** The record that is written with it: its own write adds no event. */
  readonly covers?: { readonly resource: Resource; readonly row: Row }
}

const detailsMax = 20

/** As much of a text as the field holds. */
function fitted(resource: Resource, name: string, text: string | null | undefined): string | null {
  if (text === null || text === undefined || text === '') return null
  const field = resource.fields[name] as Field
  const { items, maxLength } = field.type.schema(field) as { items?: { maxLength: number }; maxLength?: number }
  return [...text.toWellFormed().replaceAll('\0', '')].slice(0, items?.maxLength ?? maxLength).join('')
}

/** The records that another event of this transaction covers. */
const covered = Symbol('covered by the audit')

function coveredIn(tx: RecordTransaction): Set<string> {
  return tx.remembered(covered, () => new Set<string>())
}

/** An erasure: the only write that may change events. */
const erasing = Symbol('erasing in the audit')

function erasingIn(tx: RecordTransaction): { isOn: boolean } {
  return tx.remembered(erasing, () => ({ isOn: false }))
}
export const isErasing = (tx: RecordTransaction): boolean => erasingIn(tx).isOn

/** Events may lose their details until the work ends. */
export async function whileErasing<T>(tx: RecordTransaction, work: () => Promise<T>): Promise<T> {
  const state = erasingIn(tx)
  state.isOn = true
  try {
    return await work()
  } finally {
    state.isOn = false
  }
}

const keyOf = (resource: Resource, row: Values) => `${resource.name} ${row[resource.idField]}`

/** Whether an event of this transaction covers the write, so that it needs no other. */
export function isAudited(tx: RecordTransaction, resource: Resource, row: Values): boolean {
  return coveredIn(tx).has(keyOf(resource, row))
}

function credentialOf(author: Author): string | null {
  return author.credential === 'anonymous' ? null : storedCredential(author)
}

/** The values of a record, by the mark; other fields have their defaults. */
function valuesOf({ resource, mark }: MarkedTable<AuditMark>, author: Author, entry: AuditEntry): Values {
  const details = Object.entries(entry.details ?? {}).filter(([, value]) => value !== undefined && value !== null)
  return {
    [mark.event]: entry.event,
    [mark.user]: entry.userId,
    [mark.actor]: entry.actorId === undefined ? author.userId : entry.actorId,
    [mark.credential]: entry.credential === undefined ? credentialOf(author) : entry.credential,
    [mark.address]: fitted(resource, mark.address, author.address),
    [mark.userAgent]: fitted(resource, mark.userAgent, author.userAgent),
    [mark.details]: details
      .slice(0, detailsMax)
      .map(([name, value]) => fitted(resource, mark.details, `${name}=${value}`)),
  }
}

/**
 * Records events in the audit, if the application has one. Writes to users, sessions and keys
 * record their own events, except for records that a given event covers. The users belong to this
 * transaction or to an earlier one.
 */
export async function recordAudit(tx: RecordTransaction, ...told: readonly AuditEntry[]): Promise<void> {
  for (const { covers } of told) if (covers) coveredIn(tx).add(keyOf(covers.resource, covers.row))
  const { audit } = tx.catalog
  if (!audit || told.length === 0) return
  await tx.storeNotes(
    audit.resource,
    told.map((one) => valuesOf(audit, tx.author, one)),
  )
}
