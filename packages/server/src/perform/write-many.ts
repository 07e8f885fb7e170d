/**
 * Changes or deletes every record that a filter finds, in one transaction. Each is locked and judged by the rule as if it came alone, and
 * what follows from its write follows. It is found outside of the transaction: a long search must not hold up other writes.
 */
import { ApiError } from '../errors.ts'
import type { ChangeOperation, DeleteOperation, Many } from '../operation/operation.ts'
import type { Permitted } from '../policy/policy.ts'
import type { Writing } from '../record/records.ts'
import { all, equal, type Scalar } from '../resource/condition.ts'
import type { Row } from '../storage/storage.ts'
import { type AskedWrite, askedWrite } from './asked-write.ts'
import type { Engine } from './engine.ts'
import { makeTurn } from './imports/turn.ts'
import type { ManyResult } from './result.ts'
import { checkFixed, checkGuarded, type Draft, defaultContext, resolveDefaults } from './values.ts'
import { writePermitted } from './write-transaction.ts'

type PermittedMany = Permitted<ChangeOperation | DeleteOperation>

/** The ids of the records. Throws `conflict` when there are more than the limit. */
async function findIds(engine: Engine, { operation, read }: PermittedMany, many: Many): Promise<Scalar[]> {
  const { resource } = operation
  const where = all(read, many.where)
  const sort = [{ field: resource.idField, descending: false }]
  const rows = await engine.storage.list(resource, { where, sort, limit: many.limit + 1 })
  if (rows.length > many.limit) {
    const count = await engine.storage.count(resource, where)
    throw new ApiError('conflict', `${count} ${resource.plural} match, and limit is ${many.limit}: nothing was changed`)
  }
  return rows.map((row) => row[resource.idField] as Scalar)
}

/**
 * The values of an update; undefined for a delete. Values that are sent for many are worked on
 * once.
 */
async function sentOf(engine: Engine, permitted: PermittedMany, asked: AskedWrite): Promise<Draft | undefined> {
  const { operation } = permitted
  if (operation.kind === 'delete') return undefined
  const sent = resolveDefaults(operation.resource, operation.body, defaultContext(engine, permitted))
  await asked.check(sent)
  await asked.work({ values: sent })
  return sent
}

type One = { readonly row: Row; readonly sent: Draft | undefined; readonly asked: AskedWrite }

async function writeOne(writing: Writing, permitted: PermittedMany, { row, sent, asked }: One): Promise<void> {
  const { operation } = permitted
  const { resource } = operation
  if (sent === undefined || operation.kind === 'delete') {
    await asked.mayRemove(row)
    await writing.remove(resource, row)
    return asked.removed(writing, row)
  }
  checkFixed(resource, operation.body, row)
  const values = { ...sent }
  checkGuarded(permitted, values, row)
  await asked.check(values, row)
  await asked.locked(writing, row, values)
  await writing.change(resource, row, values)
}

export async function performMany(engine: Engine, permitted: PermittedMany, many: Many): Promise<ManyResult> {
  const { operation, read, write, refusal } = permitted
  const { resource, kind } = operation
  const asked = askedWrite(engine, permitted)
  const sent = await sentOf(engine, permitted, asked)
  const ids = await findIds(engine, permitted, many)
  const turn = makeTurn()
  return writePermitted(engine, permitted, async (writing) => {
    await asked.begin(writing)
    let count = 0
    for (const id of ids) {
      await turn()
      const where = all(equal(resource.idField, id), read, many.where)
      const test = write.kind === 'true' ? undefined : write
      const found = await writing.lock(resource, where, { test, toDelete: kind === 'delete' })
      if (!found) continue // it went with another one, or matches no more
      if (!found.passes) throw refusal()
      await writeOne(writing, permitted, { row: found.row, sent, asked })
      count += 1
    }
    return { kind: 'many', verb: kind === 'delete' ? 'deleted' : 'updated', count }
  })
}
