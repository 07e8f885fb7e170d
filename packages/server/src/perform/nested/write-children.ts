/**
 * Writes a record with the children that its body names, in one transaction. Each child is an
 * operation of its own, as if it came to its path below the record: with its own rules, steps and
 * checks. The first error undoes all.
 */
import { addsToRecords } from '../../operation/expansion.ts'
import type { Permitted } from '../../policy/policy.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import type { ChildRelation, Resource } from '../../resource/catalog.ts'
import { all, equal, type Scalar } from '../../resource/condition.ts'
import type { Row } from '../../storage/storage.ts'
import { performCreate } from '../create.ts'
import type { Engine } from '../engine.ts'
import { makeYieldWhenLong } from '../imports/yield-when-long.ts'
import { expandRows } from '../read/expand.ts'
import { parseId } from '../read/find.ts'
import { completeRecords } from '../read/read.ts'
import type { RecordResult } from '../result.ts'
import { eachPart, preparingAt, withPreparations } from '../together/preparations.ts'
import { performChange, performDelete } from '../write.ts'
import { writeTogether } from '../write-transaction.ts'
import { type BodyOperation, type ChildWrite, type PlannedChildren, placed, planChildren } from './plan-children.ts'

type Above = { readonly resource: Resource; readonly id: Scalar }
type ChildWriter = {
  readonly engine: Engine
  readonly tx: RecordTransaction
  readonly yieldWhenLong: ReturnType<typeof makeYieldWhenLong>
}

/** Whether the operation writes children, or shows relations of the record that it writes. */
export function writesChildren({ operation }: Permitted<BodyOperation>): boolean {
  return operation.body.nested !== undefined || addsToRecords(operation)
}

/** Returns the id of the written record; undefined where it was deleted. */
async function writeOne(
  { engine }: ChildWriter,
  { link, above }: { readonly link: ChildRelation; readonly above: Above },
  { verb, id, admission, body }: ChildWrite,
): Promise<Scalar | undefined> {
  const { policy } = engine
  const { resource, by } = link
  const under = { steps: [{ resource: above.resource, id: String(above.id) }], by }
  const common = { resource, under, select: [resource.idField], ifVersion: undefined }
  const written = async (doing: Promise<RecordResult>) => (await doing).record[resource.idField] as Scalar
  switch (verb) {
    case 'create':
      return written(performCreate(engine, policy.permit(admission, { ...common, kind: 'create', body })))
    case 'update':
      return written(performChange(engine, policy.permit(admission, { ...common, kind: 'update', id, body })))
    case 'delete':
      await performDelete(engine, policy.permit(admission, { ...common, kind: 'delete', id, shows: false }))
      return undefined
  }
}

/** Locks the named children in one order, in which writes by a filter lock them too. */
async function lockNamed({ tx }: ChildWriter, { link, writes }: PlannedChildren, { id: parent }: Above): Promise<void> {
  const { resource, by } = link
  const named = writes.map(({ id }) => (id === undefined ? undefined : parseId(resource, id)))
  const values = named.filter((id) => id !== undefined)
  if (values.length < 2) return
  const where = all(equal(by, parent), { kind: 'in', field: resource.idField, values })
  const sort = [{ field: resource.idField, descending: false }]
  await tx.lockAll(resource, { where, sort, limit: values.length })
}

async function writeAll(writer: ChildWriter, planned: readonly PlannedChildren[], above: Above): Promise<void> {
  for (const children of planned) {
    const { link, writes } = children
    await lockNamed(writer, children, above)
    await eachPart(writes, async (write) => {
      await writer.yieldWhenLong()
      const engine = preparingAt(writer.engine, write.within.join('/'))
      let id: Scalar | undefined
      try {
        id = await writeOne({ ...writer, engine }, { link, above }, write)
      } catch (error) {
        throw placed(error, write.within)
      }
      if (id !== undefined) await writeAll(writer, write.children, { resource: link.resource, id })
    })
  }
}

/** The record as its children have left it. */
async function shownAfter(
  { engine, tx }: ChildWriter,
  permitted: Permitted<BodyOperation>,
  { record, created }: RecordResult,
): Promise<RecordResult> {
  const { operation, asking } = permitted
  const { resource } = operation
  const found = await tx.find(resource, equal(resource.idField, record[resource.idField] as Scalar))
  const rows = await completeRecords({ engine, reader: tx, permitted }, resource, found ? [found.row] : [record])
  const reading = { engine, reader: engine.storage, principal: asking }
  const [expanded] = addsToRecords(operation)
    ? await expandRows(reading, { resource, rows, foundBy: undefined }, operation)
    : []
  return { kind: 'record', resource, record: rows[0] as Row, created, expanded }
}

/** Throws `ApiError`, whose sentence has the place of the child; nothing is stored then. */
export function performWithChildren(engine: Engine, permitted: Permitted<BodyOperation>): Promise<RecordResult> {
  const planned = planChildren(engine.policy, permitted)
  return withPreparations(engine, (preparing) => writeAllOf(preparing, permitted, planned))
}

function writeAllOf(
  engine: Engine,
  permitted: Permitted<BodyOperation>,
  planned: readonly PlannedChildren[],
): Promise<RecordResult> {
  return writeTogether(engine, permitted, async (inside, tx) => {
    const writer = { engine: inside, tx, yieldWhenLong: makeYieldWhenLong() }
    const { operation } = permitted
    const done =
      operation.kind === 'create'
        ? await performCreate(inside, permitted as Permitted<typeof operation>)
        : await performChange(inside, permitted as Permitted<typeof operation>)
    const id = done.record[operation.resource.idField] as Scalar
    await writeAll(writer, planned, { resource: operation.resource, id })
    await tx.applyCounts()
    return shownAfter(writer, permitted, done)
  })
}
