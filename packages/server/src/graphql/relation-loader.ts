/**
 * Batches the loading of related records, like DataLoader: references and children. Requests within
 * one turn of the event loop share one query a resource and list. Records that the caller may not
 * see are null, or left out. Nothing is cached, so a mutation is never followed by stale records.
 */
import type { FieldNode } from 'graphql'
import { nowOf } from '../base/clock.ts'
import { parseList } from '../operation/list-query.ts'
import { parseLimit } from '../operation/page.ts'
import { parameterError } from '../operation/parameters.ts'
import type { Engine } from '../perform/engine.ts'
import { type ChildrenRequest, loadChildren } from '../perform/read/children.ts'
import { type LinkedRecords, loadLinked } from '../perform/read/linked-records.ts'
import { type LoadContext, loadRelated, type RelatedRecords } from '../perform/read/related.ts'
import type { LinkRelation, Relation, Resource } from '../resource/catalog.ts'
import type { Scalar } from '../resource/condition.ts'
import { linkMember } from '../resource/fields/many-to-many.ts'
import type { Principal } from '../resource/principal.ts'
import { hasFarKey } from '../resource/relations/far-field.ts'
import { isOfOne } from '../resource/relations/relations.ts'
import type { Row } from '../storage/storage.ts'
import { type Represented, representRecord } from '../value/represent.ts'
import { parametersOf } from './schema/filter-input.ts'
import type { FieldArguments } from './schema/list-arguments.ts'
import { selectedMembers, withMembers } from './schema/record-members.ts'

type FieldNameList = Iterable<string>

export type RelationLoader = {
  /** One record by id, with these fields; null when it does not exist for the caller. */
  one(resource: Resource, id: Scalar, names: FieldNameList): Promise<Represented | null>
  /**
   * The children of one record, with these fields, by the arguments of their list. The result is a
   * list even where there is at most one.
   */
  below(parent: Resource, id: Scalar, wanted: RelationRequest): Promise<readonly Represented[]>
  /**
   * The records that the links of one record name, with these fields and the values of each link.
   */
  linked(parent: Resource, id: Scalar, wanted: LinkRequest): Promise<readonly Represented[]>
}

/** `name`: the field of the links. */
type LinkRequest = { readonly name: string; readonly limit: number; readonly names: FieldNameList }

export type RelationRequest = {
  readonly link: Relation
  readonly args: FieldArguments
  readonly names: FieldNameList
  /** The field in the document. */
  readonly node: FieldNode
}

/**
 * Records of the answer are followed by the caller who reads them: the one in the tenant that the
 * path of their root field names.
 */
export type RelationLoaders = {
  /** The loader for the relations of this record. */
  of(record: object): RelationLoader
  /** Says who reads these records, and all that are loaded through them. */
  readBy(caller: Principal, records: Iterable<object>): void
}

type PendingLoad = { resolve(records: readonly Represented[]): void; reject(error: unknown): void }
type FindRelated = (
  ids: ReadonlySet<unknown>,
  names: readonly string[],
) => Promise<RelatedRecords & Partial<Pick<LinkedRecords, 'values'>>>
type LoadBatch = {
  readonly resource: Resource
  readonly waiting: Map<Scalar, PendingLoad[]>
  readonly names: Set<string>
  readonly find: FindRelated
}

async function settle(
  { resource, waiting, names: asked, find }: LoadBatch,
  { principal: asking, note }: Pick<LoaderDeps, 'principal' | 'note'>,
): Promise<void> {
  try {
    const { groups, visible, values } = await find(new Set(waiting.keys()), [...asked])
    const names = resource.fieldNames.filter((name) => asked.has(name) && visible.has(name))
    const members = selectedMembers(resource, asked)
    for (const [id, callers] of waiting) {
      const shown = (row: Row) => withMembers(representRecord(resource, names, row), { row, asking }, members)
      const ofLinks = values?.get(id)
      const records = (groups.get(id) ?? []).map((row, i) =>
        ofLinks ? { ...shown(row), [linkMember]: ofLinks[i] ?? {} } : shown(row),
      )
      note(records)
      for (const one of callers) one.resolve(records)
    }
  } catch (error) {
    for (const callers of waiting.values()) for (const one of callers) one.reject(error)
  }
}

/** The list request that the arguments of a children field make. Throws `bad-request`. */
function wantedOf(
  { engine, principal }: LoadContext,
  { link, args }: Pick<RelationRequest, 'link' | 'args'>,
): Omit<ChildrenRequest, 'names'> {
  const { resource } = link
  if (isOfOne(link)) return { link, limit: undefined }
  const { visible, visibleWhere } = engine.policy.viewOfChildren(principal, resource)
  const viewOf = (one: Resource) => engine.policy.view(principal, one)
  const parameters = parametersOf(resource, args)
  const now = nowOf(engine)
  const listed = { resource, visible, visibleWhere, viewOf, now, tree: args.filter ?? undefined }
  const { where, sort } = parseList(listed, parameters).query
  if (hasFarKey(sort)) throw parameterError('sort', 'Records below another are sorted by their own fields')
  return { link, where, sort, limit: parseLimit(parameters.get('limit')) }
}

type LoaderDeps = {
  readonly engine: Engine
  readonly principal: Principal
  /** Called with the records that were loaded. */
  note(records: readonly Represented[]): void
}

/** The loader of one caller in one request. */
function makeRelationLoader({ engine, principal, note }: LoaderDeps): RelationLoader {
  const loading = { engine, reader: engine.storage, principal }
  let batches = new Map<string, LoadBatch>()
  /**
   * Arguments may be long, and are the same for all parents of a field, so their text is made once.
   */
  const texts = new WeakMap<FieldNode, string>()

  function textOf(node: FieldNode, args: FieldArguments): string {
    const known = texts.get(node)
    if (known !== undefined) return known
    const text = JSON.stringify(args)
    texts.set(node, text)
    return text
  }

  function flush(): void {
    const full = batches
    batches = new Map()
    for (const batch of full.values()) void settle(batch, { principal, note })
  }

  /** Adds the id to the batch with this key, or starts one. */
  function wait(key: string, id: Scalar, batch: { resource: Resource; names: FieldNameList; find: FindRelated }) {
    return new Promise<readonly Represented[]>((resolve, reject) => {
      // Runs after every promise that is ready now, so that the fields of one level share a batch.
      if (batches.size === 0) setImmediate(flush)
      const { resource, find } = batch
      const shared = batches.get(key) ?? { resource, find, waiting: new Map<Scalar, PendingLoad[]>(), names: new Set() }
      batches.set(key, shared)
      for (const name of batch.names) shared.names.add(name)
      const waiting = shared.waiting.get(id) ?? []
      waiting.push({ resolve, reject })
      shared.waiting.set(id, waiting)
    })
  }

  return {
    async one(resource, id, names) {
      const find: FindRelated = (ids, asked) =>
        loadRelated(loading, { resource, by: resource.idField, ids, as: 'record', names: asked })
      return (await wait(resource.name, id, { resource, names, find }))[0] ?? null
    },
    below(parent, id, { link, args, names, node }) {
      const find: FindRelated = async (ids, asked) =>
        loadChildren(
          loading,
          { resource: parent, ids, foundBy: undefined },
          { ...wantedOf(loading, { link, args }), names: asked },
        )
      const key = JSON.stringify([parent.name, link.resource.name, link.by])
      return wait(`${key}${textOf(node, args)}`, id, { resource: link.resource, names, find })
    },
    linked(parent, id, { name, limit, names }) {
      const find: FindRelated = (ids, asked) =>
        loadLinked(loading, { resource: parent, name, ids, limit, names: asked })
      const { target } = parent.links[name] as LinkRelation
      return wait(JSON.stringify([parent.name, name, limit]), id, { resource: target, names, find })
    },
  }
}

/** Embedded records are objects in lists. */
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The loaders of one request: one alone where no root field names a tenant by its path. */
export function makeRelationLoaders(engine: Engine, principal: Principal): RelationLoaders {
  const whole = makeRelationLoader({ engine, principal, note: () => undefined })
  const ofCaller = new Map<Principal, RelationLoader>()
  const ofRecord = new WeakMap<object, RelationLoader>()
  function readBy(caller: Principal, records: Iterable<object>): void {
    if (caller === principal) return
    const note = (found: Iterable<object>) => readBy(caller, found)
    const loader = ofCaller.get(caller) ?? makeRelationLoader({ engine, principal: caller, note })
    ofCaller.set(caller, loader)
    for (const record of records) {
      ofRecord.set(record, loader)
      for (const value of Object.values(record)) if (Array.isArray(value)) readBy(caller, value.filter(isObject))
    }
  }
  return { of: (record) => (ofCaller.size === 0 ? whole : (ofRecord.get(record) ?? whole)), readBy }
}
