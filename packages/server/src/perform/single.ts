/** The record of which every parent has exactly one: made when it is first requested. */
import { ApiError } from '../errors.ts'
import type { Operation } from '../operation/operation.ts'
import type { Permitted } from '../policy/policy.ts'
import { authorOf } from '../record/author.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Condition, Scalar } from '../resource/condition.ts'
import type { Principal } from '../resource/principal.ts'
import type { Reader, Row } from '../storage/storage.ts'
import type { Engine } from './engine.ts'
import { resolveUnder } from './find.ts'

/** Makes the single record of the operation itself, or returns the one that a concurrent request made first. */
export async function makeSingle(engine: Engine, permitted: Permitted, where: Condition): Promise<Row | undefined> {
  const { operation, principal, steps } = permitted
  const { under } = operation
  if (!under) return undefined
  const reread = async (reader: Reader) => (await reader.find(operation.resource, where))?.row
  try {
    return await engine.records.transaction(authorOf(principal), async (writing) => {
      const { by, parent } = await resolveUnder(writing, under, steps)
      const above = under.steps.at(-1)?.resource as Resource
      const known = await reread(writing)
      return known ?? writing.insert(await writing.prepare(operation.resource, { [by]: parent[above.idField] }))
    })
  } catch (error) {
    if (error instanceof ApiError && error.code === 'conflict') return reread(engine.storage)
    throw error
  }
}

/** Makes the single records among the steps above an operation, so that a first item finds its cart. */
export async function makeSinglesAbove(engine: Engine, permitted: Permitted<Operation>): Promise<void> {
  const { operation, steps } = permitted
  const at = operation.under?.steps.findIndex((step) => step.id === undefined) ?? -1
  if (!operation.under || at < 1) return
  const step = operation.under.steps[at]
  if (!step?.by) return
  const under = { steps: operation.under.steps.slice(0, at), by: step.by }
  const { condition } = await resolveUnder(engine.storage, under, steps)
  if (await engine.storage.find(step.resource, condition)) return
  await makeSingle(engine, engine.policy.narrow(permitted, at), condition)
}

/** Transactions of one read that wait at once. */
const makingMax = 20

type Missing = { readonly resource: Resource; readonly by: string; readonly ids: ReadonlySet<unknown> }

/** Makes the single records that these parents do not have yet, unless the caller may see none of them. */
export async function makeMissing(engine: Engine, principal: Principal, { resource, by, ids }: Missing): Promise<void> {
  if (ids.size === 0 || engine.policy.viewOfChildren(principal, resource).where.kind === 'false') return
  const among: Condition = { kind: 'in', field: by, values: [...ids] as Scalar[] }
  const known = await engine.storage.list(resource, { where: among, sort: [], limit: ids.size })
  const having = new Set(known.map((row) => row[by]))
  const make = async (id: unknown) => {
    try {
      await engine.records.transaction(authorOf(principal), async (writing) =>
        writing.insert(await writing.prepare(resource, { [by]: id })),
      )
    } catch (error) {
      // Another request made it first, or the parent has gone.
      if (!(error instanceof ApiError) || (error.code !== 'conflict' && error.code !== 'bad-request')) throw error
    }
  }
  const missing = [...ids].filter((id) => !having.has(id))
  for (let at = 0; at < missing.length; at += makingMax) await Promise.all(missing.slice(at, at + makingMax).map(make))
}
