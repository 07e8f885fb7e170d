/**
 * Replace, update, delete. The record is read and judged inside the transaction that changes it: a record that is not visible is not found,
 * one that is visible but not allowed is forbidden, and nobody can change it between the judgement and the write.
 */
import { notFound } from '../operation/not-found.ts'
import type { ActOperation, ChangeOperation, DeleteOperation } from '../operation/operation.ts'
import type { Permitted } from '../policy/policy.ts'
import type { Writing } from '../record/records.ts'
import { all } from '../resource/condition.ts'
import type { Found, Reader, Row } from '../storage/storage.ts'
import { type AskedWrite, askedWrite } from './asked-write.ts'
import type { Engine } from './engine.ts'
import { whereOf } from './read/find.ts'
import { complete } from './read/read.ts'
import { withVirtualFields } from './read/related.ts'
import { checkShown } from './read/shown-version.ts'
import type { NoResult, RecordResult } from './result.ts'
import { makeSingles } from './single.ts'
import { checkFixed, checkGuarded, checkSameParent, type Draft, defaultContext, resolveDefaults } from './values.ts'
import { writePermitted } from './write-transaction.ts'

type Judging = { readonly engine: Engine; readonly reader: Reader }
type Writable = ChangeOperation | DeleteOperation | ActOperation

/** The record that was found, when the caller may write it. Throws `not-found`, `forbidden`, `precondition-failed`. */
async function judgeFound(judging: Judging, permitted: Permitted<Writable>, found: Found | undefined): Promise<Row> {
  const { operation, refusal } = permitted
  if (!found) throw notFound(operation.resource, operation.kind)
  if (!found.passes) throw refusal()
  await checkShown(judging, permitted, found.row)
  return found.row
}

type Acting = { readonly engine: Engine; readonly writing: Writing }

/** Locks and returns the record to write. Throws `not-found`, `forbidden`, `precondition-failed`. */
export async function lockForWrite(
  { engine, writing }: Acting,
  permitted: Permitted<Writable>,
  toDelete = false,
): Promise<Row> {
  const { operation, read, write } = permitted
  const where = all(await whereOf(writing, permitted), read)
  const test = write.kind === 'true' ? undefined : write
  const found = await writing.lock(operation.resource, where, { test, toDelete })
  return judgeFound({ engine, reader: writing }, permitted, found)
}

type Changing = {
  readonly reader: Reader
  readonly before: Row
  readonly sent: Draft
  readonly asked: AskedWrite
}

/** The values to store, when all that was sent may be written to the record as it is. */
async function checkChange(
  engine: Engine,
  permitted: Permitted<ChangeOperation>,
  { reader, before, sent, asked }: Changing,
): Promise<Draft> {
  const { resource, body } = permitted.operation
  if (body.fixed.size > 0) {
    const loading = { engine, reader, principal: permitted.principal }
    const [shown] = await withVirtualFields(loading, { resource, rows: [before], names: null })
    checkFixed(resource, body, shown as Row)
  }
  const { under } = permitted.operation
  if (under) checkSameParent(sent, under.by, before[under.by])
  const values = { ...sent }
  checkGuarded(permitted, values, before)
  await asked.check(values, before)
  return values
}

/** The record to write, before the transaction that judges it again. Throws the same. */
export async function judgeOutside(engine: Engine, permitted: Permitted<Writable>): Promise<Row> {
  const { operation, read, write } = permitted
  const { storage: reader } = engine
  const where = all(await whereOf(reader, permitted), read)
  const test = write.kind === 'true' ? undefined : write
  const found = await reader.find(operation.resource, where, test)
  return judgeFound({ engine, reader }, permitted, found)
}

export async function performChange(engine: Engine, permitted: Permitted<ChangeOperation>): Promise<RecordResult> {
  const { resource, body } = permitted.operation
  const sent = resolveDefaults(resource, body, defaultContext(engine, permitted))
  if (permitted.operation.id === undefined) await makeSingles(engine, permitted)
  const asked = askedWrite(engine, permitted)
  if (asked.isCostly(sent)) {
    // Judged before any work, so that a refusal costs nothing and takes as long with a secret as
    // without.
    const before = await judgeOutside(engine, permitted)
    await checkChange(engine, permitted, { reader: engine.storage, before, sent, asked })
    await asked.prove(before, sent)
  }
  await asked.work({ values: sent })
  return writePermitted(engine, permitted, async (writing) => {
    await asked.begin(writing)
    const before = await lockForWrite({ engine, writing }, permitted)
    const values = await checkChange(engine, permitted, { reader: writing, before, sent, asked })
    await asked.locked(writing, before, values)
    const row = await writing.change(resource, before, values)
    const [completed] = await complete({ engine, reader: writing, permitted }, resource, [row])
    return { kind: 'record', resource, record: completed as Row, created: false }
  })
}

/** What a client keeps of the record, and of the lists with it, is known by what is shown of it. */
export async function performDelete(
  engine: Engine,
  permitted: Permitted<DeleteOperation>,
): Promise<NoResult | RecordResult> {
  const { resource, shows } = permitted.operation
  if (permitted.operation.id === undefined) await makeSingles(engine, permitted)
  const asked = askedWrite(engine, permitted)
  const before = asked.isCostly({}) ? await judgeOutside(engine, permitted) : undefined
  if (before) await asked.prove(before, {})
  return writePermitted(engine, permitted, async (writing) => {
    await asked.begin(writing, before)
    const row = await lockForWrite({ engine, writing }, permitted, true)
    await asked.mayRemove(row)
    const [record] = shows ? await complete({ engine, reader: writing, permitted }, resource, [row]) : []
    await writing.remove(resource, row)
    await asked.removed(writing, row)
    return record ? { kind: 'record', resource, record, created: false } : { kind: 'none' }
  })
}
