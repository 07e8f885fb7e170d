/**
 * `bindery-server/react-admin`: makes a data provider and an auth provider of react-admin from a
 * client. They are plain objects that fit react-admin's types by their form; react-admin itself is
 * not imported.
 */
import { isListable } from './address.ts'
import { type AdminOptions, doEach, makeAdminRecords, type RecordId, type RecordValues } from './admin-records.ts'
import { type RecordNews, watchList } from './changes/live-provider.ts'
import { type AnyRecord, changesOf } from './etag-cache.ts'
import type { ApiConnection } from './make-connection.ts'
import { RequestError } from './request-error.ts'

/**
 * `query`: more parameters of the request, such as `expand`. `ifMatch`: the version, instead of the
 * one that was shown.
 */
type Meta = { readonly query?: RecordValues; readonly ifMatch?: string }
type ProviderRequest = { readonly meta?: Meta; readonly signal?: AbortSignal | undefined }
type ListRequestParams = ProviderRequest & {
  readonly pagination?: { readonly page: number; readonly perPage: number }
  readonly sort?: { readonly field: string; readonly order: 'ASC' | 'DESC' }
  readonly filter?: RecordValues | undefined
}
type ListResult = { data: AnyRecord[]; total?: number; pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean } }
type UpdateRequestParams = {
  readonly id: RecordId
  readonly data: RecordValues
  readonly previousData?: AnyRecord
  readonly meta?: Meta
}
type DeleteRequestParams = { readonly id: RecordId; readonly previousData?: AnyRecord; readonly meta?: Meta }

type Comparison = { readonly name: string; readonly operator?: string; readonly value: unknown }

/** An input that was cleared does not filter. */
function isEmpty(value: unknown): boolean {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}

/** A list becomes `in`, null becomes `null`, and `{ gte: 5 }` keeps its operator. */
function comparisonsOf(name: string, value: unknown): readonly Comparison[] {
  if (isEmpty(value)) return []
  if (value === null) return [{ name, operator: 'null', value: true }]
  if (Array.isArray(value)) return [{ name, operator: 'in', value }]
  if (typeof value !== 'object' || value instanceof Date) return [{ name, value }]
  const given = Object.entries(value as object).filter(([, one]) => !isEmpty(one) && one !== null)
  return given.map(([operator, one]) => ({ name, operator, value: one }))
}

/**
 * `{ price: { gte: 5 } }` → `price[gte]=5`; `filter` stays, with all conditions that no parameter
 * can express.
 */
function queryOf({ filter, ...fields }: RecordValues): Record<string, unknown> {
  const query: Record<string, unknown> = {}
  const trees = filter ? [typeof filter === 'string' ? JSON.parse(filter) : filter] : []
  for (const { name, operator, value } of Object.entries(fields).flatMap((one) => comparisonsOf(...one))) {
    if (operator === undefined) query[name] = value
    else if (Array.isArray(value) && !isListable(value)) trees.push({ [name]: { [operator]: value } })
    else query[`${name}[${operator}]`] = value
  }
  if (trees.length > 0) query.filter = trees.length === 1 ? trees[0] : { and: trees }
  return query
}

/** The error in react-admin's form: forms show the texts of `body.errors` at their fields. */
function errorFor(error: unknown): unknown {
  if (!(error instanceof RequestError)) return error
  const { message, status, fields } = error
  const hasFields = Object.keys(fields).length > 0
  const known = Object.assign(new Error(message, { cause: error }), { name: 'HttpError', status })
  return Object.assign(known, { body: { message, ...(hasFields && { errors: fields }) } })
}

type Method = (resource: string, asked: never) => Promise<unknown>

/** Wraps the methods so that they throw errors in react-admin's form. */
function withErrors<T extends object>(provider: T): T {
  const entries = Object.entries(provider).map(([name, value]) => {
    if (typeof value !== 'function') return [name, value]
    const method: Method = async (resource, asked) => {
      try {
        return await value(resource, asked)
      } catch (error) {
        throw errorFor(error)
      }
    }
    return [name, method]
  })
  return Object.fromEntries(entries) as T
}

/**
 * Makes react-admin's `dataProvider`. Updates name the version that was shown: a newer stored
 * version refuses them with 412.
 */
export function makeDataProvider(client: ApiConnection, options: AdminOptions = {}) {
  const records = makeAdminRecords(client, options)

  async function getList(
    resource: string,
    { pagination, sort, filter, meta, signal }: ListRequestParams,
  ): Promise<ListResult> {
    const { page, perPage } = pagination ?? { page: 1, perPage: 100 }
    const query = {
      ...(sort?.field && { sort: `${sort.order === 'DESC' ? '-' : ''}${sort.field}` }),
      ...queryOf(filter ?? {}),
      ...meta?.query,
    }
    const { data, total, hasNext } = await records.page(resource, { page, size: perPage, query, signal })
    const pageInfo = { hasNextPage: hasNext, hasPreviousPage: page > 1 }
    return total === undefined ? { data, pageInfo } : { data, total, pageInfo }
  }

  async function update(resource: string, { id, data, previousData, meta }: UpdateRequestParams): Promise<AnyRecord> {
    const ifMatch = meta?.ifMatch ?? (previousData && (await records.versionOf(resource, id, previousData)))
    return records.change(resource, id, { body: changesOf(data, previousData), ifMatch })
  }

  return withErrors({
    supportAbortSignal: true,
    getList,
    getOne: async (resource: string, { id, meta, signal }: ProviderRequest & { readonly id: RecordId }) => ({
      data: await records.one(resource, id, { query: meta?.query, signal }),
    }),
    getMany: async (resource: string, { ids, signal }: ProviderRequest & { readonly ids: readonly RecordId[] }) => ({
      data: await records.many(resource, ids, signal),
    }),
    /**
     * `target` is the field that refers to the record, or the path of its list:
     * `people/{id}/things`.
     */
    getManyReference(
      resource: string,
      { target, id, filter, ...asked }: ListRequestParams & { readonly target: string; readonly id: RecordId },
    ) {
      if (target.includes('{id}')) return getList(target.replace('{id}', encodeURIComponent(id)), { ...asked, filter })
      return getList(resource, { ...asked, filter: { ...filter, [target]: id } })
    },
    create: async (resource: string, { data }: { readonly data: RecordValues }) => ({
      data: await records.make(resource, data),
    }),
    update: async (resource: string, asked: UpdateRequestParams) => ({ data: await update(resource, asked) }),
    async updateMany(
      resource: string,
      { ids, data }: { readonly ids: readonly RecordId[]; readonly data: RecordValues },
    ) {
      await doEach(ids, (id) => update(resource, { id, data }))
      return { data: [...ids] }
    },
    async delete(resource: string, { id, previousData, meta }: DeleteRequestParams) {
      const ifMatch = meta?.ifMatch ?? (previousData && (await records.versionOf(resource, id, previousData)))
      await records.remove(resource, id, ifMatch)
      return { data: previousData ?? { id } }
    },
    async deleteMany(resource: string, { ids }: { readonly ids: readonly RecordId[] }) {
      await doEach(ids, (id) => records.remove(resource, id))
      return { data: [...ids] }
    },
    /** An action of the API: `dataProvider.act('things', { id, action: 'close' })`. */
    act: async (
      resource: string,
      { id, ...asked }: { readonly id: RecordId; readonly action: string; readonly data?: unknown },
    ) => ({
      data: await records.act(resource, id, asked),
    }),
  })
}

/**
 * Makes react-admin's `authProvider`. Its log-in form asks for a `username`, which is the e-mail
 * address here.
 */
export function makeAuthProvider(client: ApiConnection) {
  return {
    async login({ username, email = username, password }: { username?: string; email?: string; password: string }) {
      await client.logIn({ email: email ?? '', password })
    },
    async logout(): Promise<void> {
      // The client forgets the tokens, even where the server cannot be reached.
      await client.logOut().catch(() => undefined)
    },
    async checkAuth(): Promise<void> {
      if (!(await client.session()) && !(await client.resume())) throw new Error('Log in')
    },
    async checkError(error: { readonly status?: number }): Promise<void> {
      if (error.status === 401) throw new Error('Log in')
    },
    async getIdentity() {
      const session = await client.session()
      if (!session) throw new Error('Log in')
      return { id: session.userId, fullName: session.email }
    },
    async getPermissions(): Promise<string | undefined> {
      return (await client.session())?.role
    },
  }
}

type TopicListener = (event: {
  readonly topic: string
  readonly type: string
  readonly payload: { readonly ids: RecordNews['ids'] }
}) => void

/**
 * The methods of react-admin's real-time data providers, for resources whose declaration has
 * `changes`: `{ ...makeDataProvider(client), ...makeLiveProvider(client) }`.
 */
export function makeLiveProvider(client: ApiConnection) {
  const ends = new Map<string, Map<TopicListener, () => void>>()
  return {
    /** `topic`: `resource/notes`, or `resource/notes/ID`. */
    async subscribe(topic: string, listener: TopicListener): Promise<{ readonly data: null }> {
      const [, name = '', ...id] = topic.split('/')
      const wanted = id.length > 0 ? decodeURIComponent(id.join('/')) : undefined
      const end = watchList(client, name, ({ type, ids }) => {
        if (wanted !== undefined && ids.length > 0 && !ids.some((one) => String(one) === wanted)) return
        listener({ topic, type, payload: { ids } })
      })
      ends.set(topic, (ends.get(topic) ?? new Map()).set(listener, end))
      return { data: null }
    },
    async unsubscribe(topic: string, listener: TopicListener): Promise<{ readonly data: null }> {
      ends.get(topic)?.get(listener)?.()
      ends.get(topic)?.delete(listener)
      return { data: null }
    },
  }
}
