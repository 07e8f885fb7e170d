/**
 * The write steps that give records their files. A write names an upload by its id; the step finds
 * its row, and puts the facts of the file in place of the id. When the record is stored, the upload
 * is attached to it, in the same transaction. So each upload is attached once, and no record is
 * without its file.
 */

import { isTrusted } from '../../record/author.ts'
import { tenantOf } from '../../record/references/tenant-of-record.ts'
import { restoreReason } from '../../record/removal/bring-back.ts'
import type { SettlingEvent, WriteStep } from '../../record/stages.ts'
import type { RecordTransaction } from '../../record/write-context.ts'
import type { Resource } from '../../resource/catalog.ts'
import { equal } from '../../resource/condition.ts'
import { type Field, fieldError } from '../../resource/fields/field.ts'
import { earlierNames } from '../../resource/fields/field-facts.ts'
import { changedFiles, givenFiles, type NamedFiles } from '../../resource/fields/files/file-list.ts'
import { type FileField, takesType } from '../../resource/fields/files/file-options.ts'
import {
  arrivedFacts,
  fileFacts,
  fileIdOf,
  isStoredFile,
  namedFile,
  type StoredFile,
} from '../../resource/fields/files/stored-file.ts'
import { type FileState, fileFields as names } from '../../resource/made/file-table.ts'
import type { Author } from '../../storage/changes.ts'
import type { Row, Values } from '../../storage/storage.ts'
import { leaveScans, withVerdict } from '../scans/scan-steps.ts'
import { type FileHolder, filesIn } from './file-places.ts'

/** An upload that a write of this transaction has named, with the record that it is for. */
type Claim = { readonly facts: StoredFile; readonly row: Row; readonly record: unknown; readonly field: string }

const claimed = Symbol('uploads that writes of this transaction have named')

const claimsOf = (tx: RecordTransaction): Map<string, Claim> => tx.remembered(claimed, () => new Map())

/** To whom an upload belongs: a user, or every caller without a credential. */
export function ownerOf({ userId }: Pick<Author, 'userId'>): string {
  return userId ?? 'anonymous'
}

/** A field of a written record. `record`: undefined while the database has yet to count its id. */
type FilledField = {
  readonly tx: RecordTransaction
  readonly files: Resource
  readonly resource: Resource
  readonly name: string
  readonly record: unknown
}

/** The same sentence for every upload that the author may not attach, so none tells of others. */
function noUpload(name: string, value?: unknown): Error {
  // The facts of a file are those of a record, such as the version that a revert writes again.
  const isOfRecord = isStoredFile(value)
  const what = isOfRecord ? 'a file that is gone, or that another record has' : 'no upload of yours that is ready'
  return fieldError(name, `names ${what}: send the id of ${isOfRecord ? 'an upload' : 'one'}`)
}

/** The resource and the field may have had other names when the upload began. */
function isFor({ name, renamedFrom, fields }: Resource, field: string, row: Row): boolean {
  const isOf = [name, ...renamedFrom].includes(row[names.resource] as string)
  return isOf && [field, ...earlierNames(fields[field] as Field)].includes(row[names.field] as string)
}

function isClaimable({ tx, resource, name, record }: FilledField, row: Row, state: FileState): boolean {
  const { author, defaults } = tx
  if (!isFor(resource, name, row)) return false
  // A file that a version of the record still has.
  if (row[names.state] === 'released') return row[names.dueAt] === null && row[names.record] === String(record)
  const isOwn = isTrusted(author) || row[names.owner] === ownerOf(author)
  return row[names.state] === state && isOwn && String(row[names.dueAt]) > defaults.now
}

function factsOf(row: Row): StoredFile {
  const { id, name, type, size, sha256, width, height } = row as unknown as StoredFile
  return fileFacts({
    id,
    name,
    type,
    size,
    sha256,
    width: width ?? undefined,
    height: height ?? undefined,
  } as StoredFile)
}

/** The facts of bytes that are stored, as the row of their upload has them. */
export function storedFacts({ size, sha256, type, width, height }: Omit<StoredFile, 'id' | 'name'>): Values {
  return {
    [names.size]: size,
    [names.received]: size,
    [names.sha256]: sha256,
    [names.type]: type,
    ...(width !== undefined && { [names.width]: width, [names.height]: height }),
  }
}

const limitsOf = ({ resource, name }: FilledField) => (resource.fields[name] as unknown as FileField).limits

/** Throws `bad-request` where the field takes no such file. */
function checkLimits(filled: FilledField, { type, size }: StoredFile): void {
  const { name } = filled
  const limits = limitsOf(filled)
  if (!takesType(limits, type)) throw fieldError(name, `takes ${limits.types?.join(', ')}, and this file is ${type}`)
  if (size > limits.bytesMax) throw fieldError(name, `takes files of at most ${limits.bytesMax} bytes`)
}

/** The facts of an upload that is for this field. Throws `bad-request`. */
async function claim(filled: FilledField, value: unknown): Promise<StoredFile> {
  const { tx, files, name, record } = filled
  const id = fileIdOf(value)
  if (id === undefined) throw fieldError(name, 'must be the id of an upload, or null')
  const known = claimsOf(tx).get(id)
  if (known) {
    const isSame = known.facts === value || (record !== undefined && known.record === record)
    if (isSame && known.field === name) return known.facts
    throw noUpload(name, value)
  }
  const found = await tx.lock(files, equal(names.id, id))
  const arrived = arrivedFacts(value)
  if (!found || !isClaimable(filled, found.row, arrived ? 'arriving' : 'ready')) throw noUpload(name, value)
  const { scan } = limitsOf(filled)
  const facts = fileFacts({ ...(arrived ?? factsOf(found.row)), ...(scan && ({ scan: 'waiting' } as const)) })
  checkLimits(filled, facts)
  claimsOf(tx).set(id, { facts, row: found.row, record, field: name })
  return facts
}

/** The value to store. `stored`: that of the record before. Throws `bad-request`. */
async function settledValue(filled: FilledField, value: unknown, stored: unknown): Promise<unknown> {
  if (value === null || value === undefined) return value
  const { resource, name } = filled
  const field = resource.fields[name] as unknown as FileField
  const before = [(stored ?? []) as StoredFile | readonly StoredFile[]].flat()
  const settle = async (one: unknown) => {
    const kept = before.find(({ id }) => id === fileIdOf(one))
    return kept ? withVerdict(filled.tx, kept) : claim(filled, one)
  }
  if (field.type.holdsFiles === 'one') return settle(typeof value === 'string' ? namedFile(value, name) : value)
  const all = changedFiles(givenFiles(value, name, field), before, { name, field })
  // Facts that were found before are the same objects, by which they are known again.
  const given: NamedFiles = Array.isArray(value)
    ? all.map(({ id }, at) => (fileIdOf(value[at]) === id ? value[at] : { id }))
    : all
  const settled: StoredFile[] = []
  for (const one of given) settled.push(await settle(one))
  return settled
}

type Settling = Omit<FilledField, 'name'> & { readonly values: Values; readonly before?: Row }

async function settledFiles({ values, before, ...filled }: Settling): Promise<Values | undefined> {
  const sent = filled.resource.fileNames.filter((name) => Object.hasOwn(values, name))
  if (sent.length === 0) return undefined
  const changed: Record<string, unknown> = {}
  for (const name of sent) changed[name] = await settledValue({ ...filled, name }, values[name], before?.[name])
  return changed
}

/** An upload is for the records of one tenant. Throws `bad-request`. */
async function checkTenant({ tx, resource, before, row }: SettlingEvent): Promise<void> {
  const had = before ? filesIn(before, resource.fileNames) : new Set()
  const came = [...filesIn(row, resource.fileNames)].filter((id) => !had.has(id))
  if (came.length === 0) return
  const tenant = await tenantOf({ catalog: tx.catalog, find: tx.find }, resource, row)
  for (const id of came) {
    const known = claimsOf(tx).get(id)
    const own = known?.row[names.tenant] ?? null
    if (known && own !== (tenant === null ? null : String(tenant))) throw noUpload(known.field)
  }
}

/** Puts the facts of files in place of their ids, before hooks see them. */
export function namingStep({ resource }: FileHolder, files: Resource): WriteStep {
  const { idField } = resource
  return {
    name: `files named for ${resource.name}`,
    resources: [resource],
    fields: resource.fileNames,
    beforeCreate: ({ tx, values }) =>
      settledFiles({ tx, files, resource, values, record: values[idField] ?? undefined }),
    beforeUpdate: ({ tx, before, changes }) =>
      settledFiles({ tx, files, resource, values: changes, before, record: before[idField] }),
  }
}

async function attach(
  { tx, files, resource }: Omit<FilledField, 'name' | 'record'>,
  row: Values,
  ids: Iterable<string>,
) {
  const { heldBy, heldAddress, dueAt, state, record } = names
  for (const id of ids) {
    const known = claimsOf(tx).get(id)
    if (!known) throw new Error(`${resource.name} was stored with the file ${id}, which no step has found`)
    const found = known.row[state] === 'arriving' ? storedFacts(known.facts) : {}
    const changes = { ...found, [state]: 'attached', [record]: String(row[resource.idField]), [dueAt]: null }
    await tx.deeper().change(files, known.row, { ...changes, [heldBy]: null, [heldAddress]: null })
  }
}

/** Names once more the files that hooks have set, and attaches those of stored records. */
export function attachingStep(holder: FileHolder, files: Resource): WriteStep {
  const { resource } = holder
  const { fileNames } = resource
  return {
    ...namingStep(holder, files),
    name: `files attached to ${resource.name}`,
    settled: checkTenant,
    async afterCreate({ tx, rows, reason }) {
      // those that come back were attached all the time
      if (reason !== restoreReason)
        for (const row of rows) await attach({ tx, files, resource }, row, filesIn(row, fileNames))
      for (const row of rows) await leaveScans(tx, resource, { row })
    },
    async afterUpdate({ tx, before, row }) {
      const had = filesIn(before, fileNames)
      const came = [...filesIn(row, fileNames)].filter((id) => !had.has(id))
      await attach({ tx, files, resource }, row, came)
      await leaveScans(tx, resource, { row, had })
    },
  }
}
