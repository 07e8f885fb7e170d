/**
 * The write steps that release files. A record has another file, or goes for good, or its last
 * version with the file goes. A released file that nothing names is due at once; the
 * sweep removes its bytes.
 */
import type { WriteStep } from '../../record/stages.ts'
import type { RecordsBeingRemoved, RecordTransaction } from '../../record/write-context.ts'
import type { Resource } from '../../resource/catalog.ts'
import { equal, type Scalar } from '../../resource/condition.ts'
import { fileFields as names } from '../../resource/made/file-table.ts'
import type { Row } from '../../storage/storage.ts'
import { type FileHolder, type FilePlace, filesIn } from './file-places.ts'

/** More versions of one record than any declaration keeps in practice; they are read at once. */
const rowsMax = 10_000

/** `going`: rows that do not count as naming a file. */
type Releasing = {
  readonly tx: RecordTransaction
  readonly files: Resource
  readonly holder: FileHolder
  readonly isGoing: (place: FilePlace, row: Row) => boolean
}

type StillNamed = { readonly byRecord: Set<string>; readonly byVersion: Set<string> }

/** The files that the record names still, also in the trash, and those of its versions. */
async function stillNamed({ tx, holder, isGoing }: Releasing, record: Scalar): Promise<StillNamed> {
  const named: StillNamed = { byRecord: new Set(), byVersion: new Set() }
  for (const place of holder.places) {
    const { table, of } = place
    const sort = [{ field: table.idField, descending: false }]
    const rows = await tx.list(table, { where: equal(of, record), sort, limit: rowsMax, after: null })
    const found = place.isOfVersions ? named.byVersion : named.byRecord
    for (const row of rows) if (!isGoing(place, row)) for (const id of filesIn(row, place.names)) found.add(id)
  }
  return named
}

/**
 * It locks the files before it asks what names them. Another transaction may be about to attach one
 * again: its record names the file when the lock is free.
 */
async function release(releasing: Releasing, record: Scalar, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const { tx, files, holder } = releasing
  const locked: Row[] = []
  for (const id of ids.toSorted()) {
    const found = await tx.lock(files, equal(names.id, id))
    if (found && ['attached', 'released'].includes(String(found.row[names.state]))) locked.push(found.row)
  }
  const named = holder.places.length === 1 ? undefined : await stillNamed(releasing, record)
  for (const row of locked) {
    const id = String(row[names.id])
    if (named?.byRecord.has(id)) continue
    const dueAt = named?.byVersion.has(id) ? null : tx.defaults.now
    await tx.deeper().change(files, row, { [names.state]: 'released', [names.dueAt]: dueAt })
  }
}

/** Files that an update takes from a record. Versions are stored before. */
export function replacingStep(holder: FileHolder, files: Resource): WriteStep {
  const { resource } = holder
  const { fileNames, idField } = resource
  return {
    name: `files replaced in ${resource.name}`,
    resources: [resource],
    fields: fileNames,
    async afterUpdate({ tx, before, row }) {
      const has = filesIn(row, fileNames)
      const went = [...filesIn(before, fileNames)].filter((id) => !has.has(id))
      await release({ tx, files, holder, isGoing: () => false }, row[idField] as Scalar, went)
    },
  }
}

/** Whether the record above a version goes with it. */
function isBeingRemoved(going: RecordsBeingRemoved, { table, of }: FilePlace, row: Row): boolean {
  const { made } = table.traits
  return [...going].some(([resource, ids]) => {
    if (resource !== table && !(made?.kind === 'trash' && made.of === resource.name)) return false
    return ids.has(row[table.idField]) || ids.has(row[of])
  })
}

/** Files of rows that go for good, in one of the places of a resource. */
export function removingStep(holder: FileHolder, place: FilePlace, files: Resource): WriteStep {
  const { table, of, names: fileNames } = place
  return {
    name: `files of removed ${table.plural}`,
    resources: [table],
    async beforeDelete({ tx, rows, going, toTrash }) {
      if (toTrash || tx.author.dry === 'counted') return
      const batch = new Set(rows.map((row) => row[table.idField]))
      const isGoing: Releasing['isGoing'] = (one, row) =>
        (one.table === table && batch.has(row[table.idField])) || isBeingRemoved(going, one, row)
      for (const row of rows)
        await release({ tx, files, holder, isGoing }, row[of] as Scalar, [...filesIn(row, fileNames)])
    },
  }
}
