/**
 * Resolves a root field in the same steps as a REST request: admit, arguments → operation, permit,
 * perform, value. A caller who may not perform the operation is refused before its arguments are
 * checked.
 */
import type { GraphQLResolveInfo } from 'graphql'
import { nowOf } from '../base/clock.ts'
import { ApiError } from '../errors.ts'
import { checkBody, checkInput } from '../operation/body.ts'
import { listLimits } from '../operation/list-limits.ts'
import { parseList } from '../operation/list-query.ts'
import type { Operation, ParentPath } from '../operation/operation.ts'
import { parseLimit } from '../operation/page.ts'
import type { Parameters } from '../operation/parameters.ts'
import { checkNamesVersion, isIncrementOnly, takesIncrements } from '../operation/precondition.ts'
import type { Engine } from '../perform/engine.ts'
import { perform } from '../perform/perform.ts'
import { type ListResult, metaOf, type OperationResult, type PageInfo, type RecordResult } from '../perform/result.ts'
import type { Admission, Permitted } from '../policy/policy.ts'
import { recordKeyOf } from '../policy/tenants/request-tenants.ts'
import type { Resource } from '../resource/catalog.ts'
import { all, matching } from '../resource/condition.ts'
import { type BodyKind, factsOf, isEngineOperation } from '../resource/operation-kind.ts'
import type { Principal } from '../resource/principal.ts'
import { type Represented, representRecord } from '../value/represent.ts'
import { bodyJson } from './body-json.ts'
import type { GraphqlContext } from './context.ts'
import { graphqlLimits } from './documents/limit.ts'
import { namesBelow } from './documents/selection.ts'
import { type RootField, withoutPath } from './root.ts'
import { parametersOf } from './schema/filter-input.ts'
import { jsonOf } from './schema/input-types.ts'
import type { FieldArguments } from './schema/list-arguments.ts'
import { selectedMembers, withMembers } from './schema/record-members.ts'
import { recordNames } from './schema/relation-fields.ts'
import { upsertField } from './upsert-field.ts'

export type FieldInfo = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>
type FieldCall = { readonly args: FieldArguments; readonly context: GraphqlContext; readonly info: FieldInfo }
type PageValue = { readonly data: readonly Represented[]; readonly meta: Record<string, unknown> }
type FieldValue = Represented | PageValue | readonly Represented[] | boolean

/** The page size of a list: the requested one, within the limit of the declaration. */
export function limitOf({ narrow }: RootField, asked: unknown): number {
  const limit = typeof asked === 'number' ? parseLimit(String(asked)) : undefined
  if (narrow.limit === undefined) return limit ?? parseLimit(undefined)
  const most = Math.min(narrow.limit, listLimits.pageSizeMax)
  return typeof asked === 'number' && asked >= 1 ? Math.min(asked, most) : most
}

/**
 * An unpaged list would hold the whole collection in memory, so every list in GraphQL has pages.
 */
function pagedParameters(root: RootField, args: FieldArguments): Parameters {
  const parameters = new Map(parametersOf(root.target.resource, withoutPath(root, args)))
  parameters.set('limit', String(limitOf(root, args.limit)))
  return parameters
}

export function underOf(root: RootField, args: FieldArguments): ParentPath | undefined {
  if (root.by === undefined) return undefined
  const steps = root.steps.map(({ resource, argument, by }) => ({
    resource,
    by,
    id: argument && (args[argument] as string),
  }))
  return { steps, by: root.by, ...(root.branch && { branch: root.branch }) }
}

const counted = ['total', 'totalPages', 'hasNextPage']

function listOperation(root: RootField, admission: Admission, { args, info, context }: FieldCall): Operation {
  const { resource } = root.target
  const { visible, visibleWhere, asking } = admission
  const under = underOf(root, args)
  const place = under ? under.steps.map((step) => step.id ?? '').join('/') : ''
  const viewOf = (one: Resource) => context.engine.policy.view(asking, one)
  const now = nowOf(context.engine)
  const listed = { resource, visible, visibleWhere, viewOf, now, under: place, tree: args.filter ?? undefined }
  const { query } = parseList(listed, pagedParameters(root, args))
  const { paging } = query
  const asked = namesBelow(info, 'meta')
  // The total shows when a page is beyond the end, which must not cost more than the first page.
  const total = paging.kind === 'page' && (paging.page > 1 || counted.some((name) => asked.has(name)))
  const where = all(matching(root.narrow.where ?? {}), query.where)
  const select = root.narrow.returns === 'list' ? namesBelow(info) : namesBelow(info, 'data')
  return { kind: 'list', resource, under, select: recordNames(resource, select), query: { ...query, where, total } }
}

function idOf(root: RootField, args: FieldArguments, { principal }: GraphqlContext): string | undefined {
  if (root.narrow.returns !== 'self') return root.hasId ? (args.id as string) : undefined
  if (principal.kind !== 'user') throw new ApiError('unauthenticated', 'Token required')
  return principal.userId
}

/** The record of a `get`: by its id, or by the one other field that is given. */
function namedRecord(root: RootField, { principal }: Admission, { args, context }: FieldCall) {
  if (root.keys.length === 0) return { id: idOf(root, args, context) }
  const given = ['id', ...root.keys].filter((name) => (args[name] ?? null) !== null)
  const [name, another] = given
  if (name === undefined || another !== undefined)
    throw new ApiError('bad-request', `Give one of ${['id', ...root.keys].join(' and ')}`)
  const id = args[name] as string
  if (name === 'id') return { id }
  return { id, key: recordKeyOf(context.engine.policy.tenants, principal, { resource: root.target.resource, name }) }
}

/** An operation of one record. */
function recordOperation(root: RootField, admission: Admission, call: FieldCall): Operation {
  const { resource, operation } = root.target
  const { args } = call
  const common = { resource, under: underOf(root, args), select: recordNames(resource, namesBelow(call.info)) }
  const id = idOf(root, args, call.context)
  const { visible, visibleWhere } = admission
  const ifVersion = typeof args.version === 'number' ? [args.version] : undefined
  const checkVersion = () => checkNamesVersion(root.target, ifVersion !== undefined, 'the argument version')
  const isJudgedByBody = operation === 'update' && takesIncrements(resource)
  if (!isJudgedByBody) checkVersion()
  const body = (kind: BodyKind) => {
    const sent = bodyJson(resource, kind, args.input)
    const checked = checkBody({ resource, kind, visible, visibleWhere, given: root.by, nests: true }, sent)
    if (isJudgedByBody && !isIncrementOnly(checked)) checkVersion()
    return checked
  }
  if (!isEngineOperation(operation)) {
    const fields = resource.actions[operation]?.input
    const input = checkInput(fields, jsonOf(fields ?? {}, args.input))
    return { ...common, kind: 'act', action: operation, id, input, ifVersion }
  }
  switch (operation) {
    case 'get':
      return { ...common, kind: 'get', ...namedRecord(root, admission, call) }
    case 'create':
      return { ...common, kind: 'create', body: body('create') }
    case 'replace':
    case 'update':
      return { ...common, kind: operation, id, body: body(operation), ifVersion }
    case 'delete':
      return { ...common, kind: 'delete', id, ifVersion, shows: root.narrow.returns !== 'success' }
    case 'list':
    case 'import':
    case 'export':
      throw new Error(`${operation} is no operation of one record`)
  }
}

function operationOf(root: RootField, admission: Admission, call: FieldCall): Operation {
  const isList = root.target.operation === 'list'
  return isList ? listOperation(root, admission, call) : recordOperation(root, admission, call)
}

type ShownFields = {
  readonly engine: Engine
  readonly permitted: Permitted
  readonly asked: ReadonlySet<string>
  /** Called with the records whose relations may be asked for. */
  note(records: readonly Represented[]): void
}

function namesOf({ engine, permitted, asked }: ShownFields, resource: Resource): string[] {
  const own = resource === permitted.operation.resource
  const visible = own ? permitted.visible : engine.policy.visibleFields(permitted.principal, resource).visible
  return recordNames(resource, asked).filter((name) => visible.has(name))
}

/**
 * The cost limit assumes few embedded records, so the actual ones are counted here. Throws
 * `bad-request`.
 */
function checkEmbedded(records: readonly Readonly<Record<string, unknown>>[], names: readonly string[]): void {
  const { embeddedMax } = graphqlLimits
  let count = 0
  for (const record of records)
    for (const name of names) if (Array.isArray(record[name])) count += (record[name] as unknown[]).length
  if (count > embeddedMax)
    throw new ApiError('bad-request', `The answer has more than ${embeddedMax} embedded records; ask for fewer records`)
}

/**
 * GraphQL has one `meta` type for both kinds of paging, so a page by cursor has `hasNextPage` too.
 */
function listMeta(page: PageInfo): Record<string, unknown> {
  return page.kind === 'cursor' ? { ...metaOf(page), hasNextPage: page.nextCursor !== null } : metaOf(page)
}

function valueOfList(
  shown: ShownFields,
  root: RootField,
  { resource, records, page }: ListResult,
): PageValue | readonly Represented[] {
  const names = namesOf(shown, resource)
  const embedding = names.filter((name) => resource.fields[name]?.virtual?.kind === 'embedded')
  if (embedding.length > 0) checkEmbedded(records, embedding)
  const members = selectedMembers(resource, shown.asked)
  const { asking } = shown.permitted
  const data = records.map((row) => withMembers(representRecord(resource, names, row), { row, asking }, members))
  shown.note(data)
  return root.narrow.returns === 'list' ? data : { data, meta: listMeta(page) }
}

function valueOfRecord(shown: ShownFields, { resource, record: row, revealed }: RecordResult): Represented {
  const represented = { ...representRecord(resource, namesOf(shown, resource), row), ...revealed }
  const { asking } = shown.permitted
  const value = withMembers(represented, { row, asking }, selectedMembers(resource, shown.asked))
  shown.note([value])
  return value
}

function valueOfResult(shown: ShownFields, root: RootField, result: OperationResult): FieldValue {
  if (root.narrow.returns === 'success' || result.kind === 'none') return true
  if (result.kind === 'record') return valueOfRecord(shown, result)
  if (result.kind === 'output') return result.values
  if (result.kind === 'list') return valueOfList(shown, root, result)
  throw new Error(`a root field cannot answer with a ${result.kind}`)
}

/** The caller within the tenant that the arguments of the path name. */
export function callerOf(
  root: RootField,
  caller: Principal,
  { args, context }: Pick<FieldCall, 'args' | 'context'>,
): Principal {
  const above = root.steps.length === 0 ? undefined : underOf(root, args)?.steps
  return context.engine.policy.tenants?.within(caller, { above, target: root.target }) ?? caller
}

/** The resolver of a root field. It throws `ApiError`, and then nothing was stored. */
export function makeResolver(root: RootField) {
  const path = root.target.operation === 'list' && root.narrow.returns !== 'list' ? ['data'] : []
  // biome-ignore lint/complexity/useMaxParams: the executor calls resolvers so
  return async (
    _source: unknown,
    args: FieldArguments,
    context: GraphqlContext,
    info: FieldInfo,
  ): Promise<FieldValue> => {
    const { engine, loaders } = context
    const asked = namesBelow(info, ...path)
    const caller = factsOf(root.target.operation).reads ? context.principal : await context.callerNow()
    const principal = callerOf(root, caller, { args, context })
    const note = (records: readonly Represented[]) => loaders.readBy(principal, records)
    const act = async (one: RootField, admission: Admission, given: FieldArguments) => {
      const permitted = engine.policy.permit(admission, operationOf(one, admission, { args: given, context, info }))
      return valueOfResult({ engine, permitted, asked, note }, one, await perform(engine, permitted))
    }
    if (root.upserts) return upsertField({ engine, principal, root }, args, act)
    return act(root, engine.policy.admit(principal, root.target), args)
  }
}
