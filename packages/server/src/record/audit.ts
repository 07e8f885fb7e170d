/**
 * The audit: what happened to accounts, written in the transaction in which it happens, so that neither is there without the other. An
 * application without a resource for it has no audit.
 */
import type { AuditEvent } from '../resource/accounts/audit-events.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Scalar } from '../resource/condition.ts'
import type { Field } from '../resource/fields/field.ts'
import type { Row, Values } from '../storage/storage.ts'
import { initialValue } from './initial-value.ts'
import type { Door } from './records.ts'
import { seenKey } from './stored-values.ts'

/** What happened. What is not given follows from the author of the transaction. */
export type Told = {
  readonly event: AuditEvent
  /** The user whom it happened to; null where nobody knows. */
  readonly userId: Scalar | null
  /** The user who did it. */
  readonly actorId?: Scalar | null
  /** `session:ID`, `key:ID`, `console`, `service` or null. */
  readonly credential?: string | null
  /** What else there is to say, in a few short words. Secrets do not belong here. */
  readonly details?: Readonly<Record<string, Scalar | null | undefined>>
  /** The record that is written with it: its own write records nothing besides. */
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

function credentialOf({ credential }: Door['author']): string | null {
  return credential === 'anonymous' ? null : credential
}

/** The values of a record, by the mark; other fields have their defaults. */
function valuesOf(door: Door, told: Told): Values {
  const { resource, mark } = door.catalog.audit as NonNullable<Door['catalog']['audit']>
  const { author } = door
  const details = Object.entries(told.details ?? {}).filter(([, value]) => value !== undefined && value !== null)
  const known: Values = {
    [mark.event]: told.event,
    [mark.user]: told.userId,
    [mark.actor]: told.actorId === undefined ? author.userId : told.actorId,
    [mark.credential]: told.credential === undefined ? credentialOf(author) : told.credential,
    [mark.address]: fitted(resource, mark.address, author.address),
    [mark.userAgent]: fitted(resource, mark.userAgent, author.userAgent),
    [mark.details]: details
      .slice(0, detailsMax)
      .map(([name, value]) => fitted(resource, mark.details, `${name}=${value}`)),
  }
  const values: Record<string, unknown> = {}
  for (const name of resource.storedNames)
    values[name] = Object.hasOwn(known, name) ? known[name] : initialValue(door, resource.fields[name] as Field)
  if (!resource.hasCountedId) values[resource.idField] = door.makeId()
  return values
}

/** Records the events. References are not looked up: the users are those of this transaction, or were. */
export async function tell(door: Door, told: readonly Told[]): Promise<void> {
  for (const { covers } of told)
    if (covers) door.told.add(seenKey(covers.resource, covers.row[covers.resource.idField]))
  const { audit } = door.catalog
  if (!audit || told.length === 0) return
  await door.transaction.insertAll(
    audit.resource,
    told.map((one) => valuesOf(door, one)),
  )
}
