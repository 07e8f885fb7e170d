/**
 * The records above a new one that only a path through them leads to, or whose reference the path
 * sets. They must exist for the caller, as in a request.
 */
import type { ParentPath } from '../operation/operation.ts'
import type { Resource } from '../resource/catalog.ts'
import { equal, type Scalar } from '../resource/condition.ts'
import { fieldError } from '../resource/fields/field.ts'
import { isAtConsole } from '../resource/principal.ts'
import { isOffered } from '../resource/relations/can-member.ts'
import type { Reader } from '../storage/storage.ts'
import type { CodeCaller } from './judged-engine.ts'

type Values = Readonly<Record<string, unknown>>
type Parents = Resource['parents']

/** Undefined where the values name no record above. */
async function pathBy(reader: Reader, parents: Parents, values: Values): Promise<ParentPath | undefined> {
  for (const { resource, link } of parents) {
    const id = values[link.by]
    if (id === undefined || id === null) continue
    const step = { resource, id: String(id) }
    if (resource.path !== undefined) return { steps: [step], by: link.by }
    const found = await reader.find(resource, equal(resource.idField, id as Scalar))
    const above = found && (await pathBy(reader, resource.parents, found.row))
    if (above) return { steps: [...above.steps, { ...step, by: above.by }], by: link.by }
  }
  return undefined
}

/**
 * Undefined where a request needs none. Throws `bad-request` where the values do not name the
 * record.
 */
export async function pathAbove(
  caller: CodeCaller,
  resource: Resource,
  values: Values,
): Promise<ParentPath | undefined> {
  if (isAtConsole(await caller.principal())) return undefined
  const offered = resource.parents.filter(({ link }) => isOffered(link, 'create'))
  const { path: own, fields } = resource
  const parents = own === undefined ? offered : offered.filter(({ link }) => fields[link.by]?.setBy === 'parent')
  const path = await pathBy(caller.tx ?? caller.engine.storage, parents, values)
  if (path || parents[0] === undefined) return path
  throw fieldError(parents[0].link.by, 'is required')
}
