/**
 * `bindery-server/refine`: makes a data provider and an auth provider of Refine from a client. They
 * are plain objects that fit Refine's types by their form; Refine itself is not imported.
 */
import { type AdminOptions, doEach, makeAdminRecords, type RecordId, type RecordValues } from './admin-records.ts'
import { watchList } from './changes/live-provider.ts'
import type { AnyRecord } from './etag-cache.ts'
import type { ApiConnection } from './make-connection.ts'
import { type CrudFilter, parametersOf } from './refine-filters.ts'
import { RequestError } from './request-error.ts'

/**
 * `query`: more parameters of the request, such as `expand`. `ifMatch`: the version, instead of the
 * one that was shown.
 */
type Meta = {
  readonly query?: RecordValues
  readonly ifMatch?: string
  readonly queryContext?: { readonly signal?: AbortSignal }
}
type ProviderRequest = { readonly resource: string; readonly meta?: AnyRecord }
type ListRequestParams = ProviderRequest & {
  readonly pagination?: { readonly currentPage?: number; readonly pageSize?: number; readonly mode?: string }
  readonly sorters?: readonly { readonly field: string; readonly order: 'asc' | 'desc' | null }[]
  readonly filters?: readonly CrudFilter[]
}
type CustomRequestParams = {
  readonly url: string
  readonly method: string
  readonly payload?: AnyRecord
  readonly query?: AnyRecord
  readonly headers?: AnyRecord
}

const allAtOnce = 1000
const metaOf = (meta: unknown) => (meta ?? {}) as Meta
const signalOf = (meta: unknown) => metaOf(meta).queryContext?.signal

/** The error in Refine's form: forms show the texts of `errors` at their fields. */
function errorFor(error: unknown): unknown {
  if (!(error instanceof RequestError)) return error
  const { message, status, fields } = error
  const hasFields = Object.keys(fields).length > 0
  return Object.assign(new Error(message, { cause: error }), {
    statusCode: status,
    ...(hasFields && { errors: fields }),
  })
}

async function known<T>(work: Promise<T>): Promise<{ data: T }> {
  try {
    return { data: await work }
  } catch (error) {
    throw errorFor(error)
  }
}

/**
 * Makes Refine's data provider. Updates name the version that was shown: a newer stored version
 * refuses them with 412.
 */
export function makeDataProvider(client: ApiConnection, options: AdminOptions = {}) {
  const records = makeAdminRecords(client, options)

  async function list({ resource, pagination = {}, sorters = [], filters = [], meta }: ListRequestParams) {
    const { currentPage = 1, pageSize = 10, mode = 'server' } = pagination
    const sort = sorters
      .filter(({ order }) => order)
      .map(({ field, order }) => `${order === 'desc' ? '-' : ''}${field}`)
    const query = { ...(sort.length > 0 && { sort }), ...parametersOf(filters), ...metaOf(meta).query }
    const paged = mode === 'server'
    const [page, size] = paged ? [currentPage, pageSize] : [1, allAtOnce]
    const found = await records.page(resource, { page, size, query, signal: signalOf(meta) })
    const data = [...found.data]
    for (let next = 2; !paged && found.hasNext; next += 1) {
      const more = await records.page(resource, { page: next, size, query, signal: signalOf(meta) })
      data.push(...more.data)
      if (!more.hasNext) break
    }
    // The total of a list that does not count is the number of known records.
    const reached = paged ? (page - 1) * size + data.length + (found.hasNext ? 1 : 0) : data.length
    return { data, total: paged ? (found.total ?? reached) : reached }
  }

  async function update(resource: string, id: RecordId, { variables, meta }: { variables: AnyRecord; meta: unknown }) {
    const ifMatch = metaOf(meta).ifMatch ?? (await records.versionOf(resource, id))
    return records.change(resource, id, { body: variables, ifMatch })
  }

  return {
    getApiUrl: () => `${client.url}${options.prefix ?? '/api/v1'}`,
    getList: (asked: ListRequestParams) =>
      list(asked).catch((error: unknown) => {
        throw errorFor(error)
      }),
    getOne: ({ resource, id, meta }: ProviderRequest & { readonly id: RecordId }) =>
      known(records.one(resource, id, { query: metaOf(meta).query, signal: signalOf(meta) })),
    getMany: ({ resource, ids, meta }: ProviderRequest & { readonly ids: readonly RecordId[] }) =>
      known(records.many(resource, ids, signalOf(meta))),
    create: ({ resource, variables }: ProviderRequest & { readonly variables: AnyRecord }) =>
      known(records.make(resource, variables)),
    createMany: ({ resource, variables }: ProviderRequest & { readonly variables: readonly AnyRecord[] }) =>
      known(doEach(variables, (one) => records.make(resource, one))),
    update: ({
      resource,
      id,
      variables,
      meta,
    }: ProviderRequest & { readonly id: RecordId; readonly variables: AnyRecord }) =>
      known(update(resource, id, { variables, meta })),
    updateMany: ({
      resource,
      ids,
      variables,
    }: ProviderRequest & { readonly ids: readonly RecordId[]; readonly variables: AnyRecord }) =>
      known(doEach(ids, (id) => records.change(resource, id, { body: variables }))),
    deleteOne: ({ resource, id, meta }: ProviderRequest & { readonly id: RecordId }) =>
      known(records.remove(resource, id, metaOf(meta).ifMatch).then((record): AnyRecord => record ?? { id })),
    deleteMany: ({ resource, ids }: ProviderRequest & { readonly ids: readonly RecordId[] }) =>
      known(doEach(ids, (id) => records.remove(resource, id).then(() => ({ id })))),
    /** Any request of the API; `url` is a path, or an address below `getApiUrl()`. */
    custom({ url, method, payload, query, headers }: CustomRequestParams) {
      const path = url.startsWith(`${client.url}/`) ? url.slice(client.url.length) : url
      const sent = client.send(method.toUpperCase(), path, { query, body: payload, headers })
      return known(sent.then(({ body }): AnyRecord => body))
    },
  }
}

/**
 * The results of an auth provider: unset members are absent, as `exactOptionalPropertyTypes`
 * requires.
 */
type AuthResult = { success: boolean; redirectTo?: string; error?: Error }
type AuthCheck = { authenticated: boolean; redirectTo?: string }
type AuthFailure = { logout?: boolean; redirectTo?: string; error?: Error }

/** Makes Refine's `authProvider`. */
export function makeAuthProvider(
  client: ApiConnection,
  { logInPage = '/login' }: { readonly logInPage?: string } = {},
) {
  return {
    async login({ email, password }: { readonly email: string; readonly password: string }): Promise<AuthResult> {
      try {
        await client.logIn({ email, password })
        return { success: true, redirectTo: '/' }
      } catch (error) {
        return { success: false, error: errorFor(error) as Error }
      }
    },
    async logout(): Promise<AuthResult> {
      // The client forgets the tokens, even where the server cannot be reached.
      await client.logOut().catch(() => undefined)
      return { success: true, redirectTo: logInPage }
    },
    async check(): Promise<AuthCheck> {
      const authenticated = (await client.session()) !== undefined || (await client.resume())
      return authenticated ? { authenticated } : { authenticated, redirectTo: logInPage }
    },
    async onError(error: { readonly statusCode?: number }): Promise<AuthFailure> {
      return error.statusCode === 401 ? { logout: true, redirectTo: logInPage, error: error as unknown as Error } : {}
    },
    async getIdentity() {
      const session = await client.session()
      return session && { id: session.userId, name: session.email }
    },
    getPermissions: async () => (await client.session())?.role,
  }
}

type LiveSubscription = {
  /** `resources/notes` */
  readonly channel: string
  readonly types: readonly string[]
  readonly params?: { readonly ids?: readonly RecordId[] }
  readonly callback: (event: {
    readonly channel: string
    readonly type: string
    readonly payload: { readonly ids?: RecordId[] }
    readonly date: Date
  }) => void
}

/** Makes Refine's `liveProvider`, for resources whose declaration has `changes`. */
export function makeLiveProvider(client: ApiConnection) {
  return {
    subscribe({ channel, types, params, callback }: LiveSubscription): { readonly end: () => void } {
      const asked = new Set((params?.ids ?? []).map(String))
      const end = watchList(client, channel.replace(/^resources\//, ''), ({ type, ids }) => {
        if (!types.includes('*') && !types.includes(type)) return
        if (asked.size > 0 && ids.length > 0 && !ids.some((id) => asked.has(String(id)))) return
        callback({ channel, type, payload: ids.length > 0 ? { ids: [...ids] } : {}, date: new Date() })
      })
      return { end }
    },
    unsubscribe: ({ end }: { readonly end: () => void }) => end(),
  }
}
