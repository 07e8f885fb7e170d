/**
 * Finds the rows of an explained request, by the steps of the request itself. They are the records
 * above it, the stored record, and the record that it would make. No row stays stored.
 */
import { ApiError } from '../../errors.ts'
import { notFound } from '../../operation/not-found.ts'
import type { Operation, ParentPath, RecordBody, RecordKey } from '../../operation/operation.ts'
import { shownWhere } from '../../operation/visible-fields.ts'
import type { Permitted } from '../../policy/policy.ts'
import type { OperationTarget } from '../../policy/rule-of.ts'
import { authorOf } from '../../record/author.ts'
import { settleTenant } from '../../record/references/tenant-of-record.ts'
import { all, always, never } from '../../resource/condition.ts'
import { factsOf, isEngineOperation } from '../../resource/operation-kind.ts'
import type { Principal } from '../../resource/principal.ts'
import type { Row, Values } from '../../storage/storage.ts'
import type { Engine } from '../engine.ts'
import { resolveUnder, whereNamed, whereOf } from '../read/find.ts'
import { judgeRows } from '../read/judge-rows.ts'
import { setTenant } from '../tenant-of-new.ts'
import { checkSameParent } from '../values.ts'
import { type ExplainedLimit, judgeLimits } from './caller-limits.ts'
import { changedFields, type PlannedWrite, plannedRecord, sentValues } from './planned-record.ts'
import { type ReferenceMistake, referenceMistakes } from './reference-mistakes.ts'

export type AccessQuestion = {
  /** The caller to whom the explanation is shown. Records and fields are hidden by its rules. */
  readonly asker: Principal
  /** The caller whose access is explained. */
  readonly caller: Principal
  readonly target: OperationTarget
  /** The text of an id. Undefined where the operation names no record, or one by its path alone. */
  readonly id: string | undefined
  /** The request names no record: a rule refuses the caller before that. */
  readonly namesNone?: true
  readonly key?: RecordKey | undefined
  readonly under: ParentPath | undefined
  /** The body of a write, where one was sent. Read once the caller is admitted. */
  readonly body?: () => Promise<RecordBody | undefined>
}

/** `before`: the stored record. `isHidden`: whether the asker may not read it. */
export type AskedRows = {
  readonly before: Row | undefined
  readonly isHidden: boolean
  readonly planned: Values | undefined
  /** The fields that the body would change. */
  readonly sent: readonly string[]
  readonly limits: readonly ExplainedLimit[]
  /** The mistakes of the references that the body names. */
  readonly mistakes: readonly ReferenceMistake[]
  /** The fields about which the write asks once the record is stored. */
  readonly asksLast: ReadonlySet<string>
}

type PermittedOnRecord = Parameters<typeof whereOf>[1]
type ParentFound = Awaited<ReturnType<typeof resolveUnder>> | undefined

/** The operation as data. Its body is empty where none was sent. */
export function askedOperation({ target, id, key, under }: AccessQuestion, body: RecordBody | undefined): Operation {
  const { resource, operation } = target
  const common = { resource, under, select: null }
  const versions = { ifVersion: undefined }
  if (!isEngineOperation(operation)) return { ...common, kind: 'act', action: operation, id, input: {}, ...versions }
  const sent = body ?? { values: new Map(), fixed: new Map() }
  switch (operation) {
    case 'list':
    case 'export':
      return {
        ...common,
        kind: operation,
        query: { where: always, sort: [], paging: { kind: 'all' }, total: false },
      }
    case 'get':
      return { ...common, kind: 'get', id, ...(key && { key }) }
    case 'create':
      return { ...common, kind: 'create', body: sent }
    case 'replace':
    case 'update':
      return { ...common, kind: operation, id, body: sent, ...versions }
    case 'delete':
      return { ...common, kind: 'delete', id, shows: false, ...versions }
    case 'import':
      return { ...common, kind: 'import', lines: (async function* () {})() }
  }
}

/** The record, where it exists for the asker, whatever the caller may do. */
async function findSeen(engine: Engine, { asker, target, id, key, under }: AccessQuestion): Promise<Row | undefined> {
  const { policy, storage } = engine
  const { resource } = target
  const conditions = [policy.viewOfChildren(asker, resource).where]
  if (under) {
    const views = under.steps.map((step) => policy.viewOfParts(asker, step.resource).where)
    const parent = await resolveUnder(storage, under, views).catch(unlessAbsent)
    conditions.push(parent?.condition ?? never)
  }
  if (id !== undefined)
    conditions.push(whereNamed({ resource, id, key }, policy.visibleFields(asker, resource)) ?? never)
  return (await storage.find(resource, all(...conditions)))?.row
}

function isAbsent(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'not-found'
}

function unlessAbsent(error: unknown): undefined {
  if (!isAbsent(error)) throw error
  return undefined
}

/**
 * For a caller who is refused whatever the record is. Another asker, such as the operator at the
 * console, must name a record that exists: throws `not-found`.
 */
export async function rowsOfRefused(engine: Engine, question: AccessQuestion): Promise<AskedRows> {
  const { target, asker, caller, namesNone } = question
  const isOnRecord = factsOf(target.operation).on === 'record' && !namesNone
  const before = isOnRecord ? await findSeen(engine, question) : undefined
  if (isOnRecord && !before && asker !== caller) throw notFound(target.resource, 'get')
  return { ...noBody, before, isHidden: false, limits: [] }
}

const noBody = { planned: undefined, sent: [], mistakes: [], asksLast: new Set<string>() }

type FoundRow = Pick<AskedRows, 'before' | 'isHidden'>

/** The record as the request finds it. Throws `not-found` as it does. */
async function findAsked(engine: Engine, question: AccessQuestion, permitted: Permitted): Promise<FoundRow> {
  const { target, asker, caller } = question
  if (factsOf(target.operation).on !== 'record') return { before: undefined, isHidden: false }
  const seen = await findSeen(engine, question)
  if (seen) return { before: seen, isHidden: false }
  const { storage } = engine
  const asked = permitted as PermittedOnRecord
  const found =
    asker === caller && (await storage.find(target.resource, all(await whereOf(storage, asked), permitted.read)))
  if (!found) throw notFound(target.resource, permitted.operation.kind)
  return { before: found.row, isHidden: true }
}

/** A field that the record does not show is never compared, so it counts as changed. */
async function hiddenFields(engine: Engine, permitted: Permitted, before: Row): Promise<ReadonlySet<string>> {
  const { resource } = permitted.operation
  const conditions = new Map(resource.partlyShown.map((name) => [name, shownWhere(permitted, name)]))
  if (conditions.size === 0) return new Set()
  const [shown] = await judgeRows(
    { catalog: engine.catalog, reader: engine.storage },
    { resource, rows: [before], conditions },
  )
  return new Set(resource.partlyShown.filter((name) => !shown?.has(name)))
}

/** Gives a new record its tenant. Throws `bad-request` and `not-found` as the request does. */
async function planTenant(
  { catalog, storage }: Engine,
  permitted: Permitted,
  { draft, parent }: { readonly draft: Record<string, unknown>; readonly parent: ParentFound },
): Promise<void> {
  const { resource } = permitted.operation
  if (!resource.scope) return
  setTenant(permitted, { catalog, values: draft }, parent)
  const author = authorOf(permitted.principal)
  const { bounds } = permitted
  await settleTenant({ catalog, transaction: storage, author, bounds }, resource, draft)
}

type AdmittedRequest = { readonly permitted: Permitted; readonly body: RecordBody | undefined }

/** The record above in the path, or the error of a request that names none that exists. */
async function findAbove({ storage }: Engine, { operation, steps }: Permitted): Promise<ParentFound | ApiError> {
  const { under } = operation
  if (!under) return undefined
  return resolveUnder(storage, under, steps).catch((error) => {
    if (!isAbsent(error)) throw error
    return error
  })
}

/** The rows of a request that was admitted. Throws `not-found` and `bad-request` as it does. */
export async function rowsOfAdmitted(
  engine: Engine,
  question: AccessQuestion,
  { permitted, body }: AdmittedRequest,
): Promise<AskedRows> {
  const { operation, guarded, guardedWhere } = permitted
  const { resource, under } = operation
  const found = await findAbove(engine, permitted)
  const isNew = operation.kind === 'create'
  if (found instanceof ApiError && !(isNew && body)) throw found
  const parent = found instanceof ApiError ? undefined : found
  const { before, isHidden } = await findAsked(engine, question, permitted)
  const common = { before, isHidden }
  if (!body) return { ...common, ...noBody, limits: await judgeLimits(engine, permitted, { before }) }
  const above = under?.steps.at(-1)?.resource
  const given = parent && above && { by: under.by, row: parent.parent, resource: above }
  const write: PlannedWrite = { resource, principal: question.caller, body, by: under?.by, parent: given }
  const unknown = before ? await hiddenFields(engine, permitted, before) : new Set<string>()
  const sent = changedFields(engine, write, { before, unknown })
  const planned = plannedRecord(engine, write, before)
  // A field that the caller sets on no record refuses before the records above are looked at.
  if (isNew && sent.some((name) => guarded.has(name))) return { ...noBody, ...common, planned, sent, limits: [] }
  if (found instanceof ApiError) throw found
  if (isNew && given) checkSameParent(sentValues(engine, write), given.by, given.row[given.resource.idField])
  if (isNew && planned) await planTenant(engine, permitted, { draft: planned, parent })
  return {
    ...common,
    planned,
    sent,
    limits: await judgeLimits(engine, permitted, { before, body, row: planned }),
    mistakes: planned
      ? await referenceMistakes(engine, permitted, { before, planned, sent: sentValues(engine, write) })
      : [],
    asksLast: new Set(isNew ? guardedWhere.keys() : []),
  }
}
