/**
 * Empties the personal fields of records that stay when the record is erased whom they are about.
 * Their versions, and those in the trash, lose the values too. Other copies are erased at the end,
 * by the list of records that this file keeps.
 */
import type { ReferenceRelation, Resource } from '../../resource/catalog.ts'
import { all, any, type Condition, type Scalar } from '../../resource/condition.ts'
import { historyFields } from '../../resource/made/declared-history.ts'
import { personalNames } from '../../resource/personal/personal-fields.ts'
import type { ChangedRecord, Row, Values } from '../../storage/storage.ts'
import { applyComputed } from '../stored-values.ts'
import type { RecordTransaction, WriteContext } from '../write-context.ts'
import { eachBatch } from './lock-batches.ts'
import { trashedResource } from './trash-rows.ts'

const emptied = Symbol('records that an erasure has emptied')

type Remembering = Pick<RecordTransaction, 'remembered'>

/** The records whose copies have the values, with the resource whose log they have. */
export function emptiedIn(tx: Remembering): ChangedRecord[] {
  return tx.remembered(emptied, () => [])
}

/** The personal fields without their values. */
export function emptiedValues(resource: Resource, reference: string): Readonly<Record<string, null>> {
  return Object.fromEntries(personalNames(resource, reference).map((name) => [name, null]))
}

export function noteEmptied(context: WriteContext, resource: Resource, row: Row): void {
  const { name: of } = trashedResource(context, resource) ?? resource
  emptiedIn(context.tx).push({ resource: resource.name, of, id: row[resource.idField] as ChangedRecord['id'] })
}

/** The records that name one of these, and have a value that is to be emptied. */
export function emptiedWhere({ field }: ReferenceRelation, ids: readonly unknown[], values: Values): Condition {
  const filled = Object.keys(values).map((name): Condition => ({ kind: 'null', field: name, isNull: false }))
  return all({ kind: 'in', field, values: ids as Scalar[] }, any(...filled))
}

/** The engine's tables with the columns of the resource: its trash, its versions and theirs. */
function* copiesOf(context: WriteContext, { name }: Resource): Generator<Resource> {
  for (const one of context.catalog.resources.values()) {
    const { made } = one.traits
    if ((made?.kind !== 'trash' && made?.kind !== 'history') || made.of !== name) continue
    yield one
    yield* copiesOf(context, one)
  }
}

/** The computed values without those that are gone. */
function computedAnew(resource: Resource, row: Row, values: Values): Values {
  const draft: Record<string, unknown> = { ...row, ...values }
  applyComputed(resource, draft)
  return Object.fromEntries(resource.computedNames.map((name) => [name, draft[name]]))
}

type Copy = { readonly resource: Resource; readonly of: Resource; readonly values: Values }

async function emptyCopy(context: WriteContext, { resource, of, values }: Copy, row: Row): Promise<void> {
  const isTrash = trashedResource(context, resource) === of
  const none = Object.fromEntries(of.computedNames.map((name) => [name, null]))
  const computed = isTrash ? computedAnew(of, row, values) : none
  const known = Object.entries(computed).filter(([name]) => resource.storedNames.includes(name))
  const id = row[resource.idField] as Scalar
  await context.transaction.updateAll(resource, [id], { ...values, ...Object.fromEntries(known) })
  noteEmptied(context, resource, row)
  // The log and the effects of the record have the values of its versions.
  const record = row[historyFields.of] as ChangedRecord['id'] | undefined
  if (!isTrash && record !== undefined) emptiedIn(context.tx).push({ resource: resource.name, of: of.name, id: record })
}

/**
 * Of versions and of records in the trash. A version may name the person while its record names
 * another one by now.
 */
export async function emptyCopies(
  context: WriteContext,
  link: ReferenceRelation,
  ids: readonly unknown[],
): Promise<void> {
  const { resource: of, field } = link
  const emptied = emptiedValues(of, field)
  for (const resource of copiesOf(context, of)) {
    const names = resource.storedNames
    const values = Object.fromEntries(Object.entries(emptied).filter(([name]) => names.includes(name)))
    if (!names.includes(field) || Object.keys(values).length === 0) continue
    await eachBatch(context, { resource, where: emptiedWhere(link, ids, values) }, async (rows) => {
      for (const row of rows) await emptyCopy(context, { resource, of, values }, row)
    })
  }
}
