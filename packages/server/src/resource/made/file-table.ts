/**
 * The table of files: one row for each object in the store of files, from the first byte of its
 * upload to its removal. It is a resource that the catalog makes where a declaration has a field
 * that holds files. The row is stored before the bytes and goes after them, so no object is without
 * one.
 */
import { type DeclaredResource, engineTraits } from '../define.ts'
import { choice } from '../fields/choice.ts'
import { id } from '../fields/id.ts'
import { integer } from '../fields/numbers/integer.ts'
import { text } from '../fields/text.ts'
import { timestamp } from '../fields/times/timestamp.ts'
import { noTraits } from '../traits.ts'

export const fileTableName = 'storedFile'

/**
 * `arriving`: bytes are missing. `ready`: they are all there, and no record has the file.
 * `attached`: a record has it. `released`: no record has it; a version may name it still. `going`:
 * the sweep removes its bytes.
 */
export const fileStates = ['arriving', 'ready', 'attached', 'released', 'going'] as const
export type FileState = (typeof fileStates)[number]

/** Its bytes come in the body of one request, in pieces by tus, or by a signed address. */
export const uploadWays = ['body', 'tus', 'signed'] as const
export type UploadWay = (typeof uploadWays)[number]

/** The meaning of its fields. */
export const fileFields = {
  id: 'id',
  state: 'state',
  way: 'way',
  /** Counts the requests that have begun to send a piece of it. */
  turn: 'turn',
  /** The user who uploads, or `anonymous`. */
  owner: 'owner',
  /** The id of the tenant for whose records it is, as a text. */
  tenant: 'tenant',
  /** The resource and the field that it is for. */
  resource: 'resource',
  field: 'field',
  /** The record that has it, or had it. */
  record: 'record',
  name: 'name',
  /** The type that the sender says, until its bytes have been judged. */
  type: 'type',
  /** In bytes: those that were announced, until all have arrived. */
  size: 'size',
  /** How many bytes have arrived. */
  received: 'received',
  /** As the sender says, until the bytes have been judged. */
  sha256: 'sha256',
  width: 'width',
  height: 'height',
  /** When the sweep may take it; null while a record or a version has it. */
  dueAt: 'dueAt',
  /** The owner and the address that hold it while no record has it: their uploads are counted. */
  heldBy: 'heldBy',
  heldAddress: 'heldAddress',
  /** Until when its client may still be sending bytes to a signed address; then null. */
  signedUntil: 'signedUntil',
  createdAt: 'createdAt',
} as const

function holdsFiles({ fields }: DeclaredResource): boolean {
  return Object.values(fields).some(({ type }) => type.holdsFiles)
}

/** Undefined where no resource has a field that holds files. */
export function fileTable(resources: readonly DeclaredResource[]): DeclaredResource | undefined {
  const first = resources.find(holdsFiles)
  if (!first) return undefined
  const { writtenIn, writtenAt } = first
  const names = fileFields
  const short = () => text({ maxLength: 200 })
  return {
    name: fileTableName,
    description: 'The files of records, and the uploads that no record has yet.',
    fields: {
      [names.id]: id(),
      [names.state]: choice(fileStates, { default: 'arriving' }),
      [names.way]: choice(uploadWays, { default: 'body' }),
      [names.turn]: integer({ default: 0 }),
      [names.owner]: short(),
      [names.tenant]: short(),
      [names.resource]: short(),
      [names.field]: short(),
      [names.record]: short(),
      [names.name]: text({ maxLength: 255 }),
      [names.type]: text({ maxLength: 127 }),
      [names.size]: integer({ default: 0 }),
      [names.received]: integer({ default: 0 }),
      [names.sha256]: text({ maxLength: 64 }),
      [names.width]: integer(),
      [names.height]: integer(),
      [names.dueAt]: timestamp(),
      [names.heldBy]: short(),
      [names.heldAddress]: short(),
      [names.signedUntil]: timestamp(),
      [names.createdAt]: timestamp({ setOn: 'create' }),
    },
    list: {
      style: 'page',
      defaultSort: names.id,
      sortable: [names.dueAt],
      filterable: [names.dueAt, names.heldBy, names.heldAddress, names.owner, names.tenant, names.signedUntil],
    },
    access: {},
    [engineTraits]: { ...noTraits, made: { kind: 'files' } },
    writtenIn,
    writtenAt,
  }
}
