/**
 * The typed client: one method for each HTTP verb, an iterator over all pages of a list, and an
 * edit that loses no concurrent update. It adds the types of an API to a connection.
 */

import { type FollowChanges, followChanges } from './changes/follow-changes.ts'
import { type Live, makeLive } from './changes/live-list.ts'
import type { SummaryAnswer } from './filter-type.ts'
import { type AnyRequestOptions, type ApiConnection, type ClientOptions, makeConnection } from './make-connection.ts'
import { RequestError } from './request-error.ts'
import type {
  AnyPaths,
  Argument,
  BodyOf,
  CursorParameter,
  ExpandParameter,
  FieldsParameter,
  OperationOf,
  PathsWith,
  ReadArgument,
  ReadOptions,
  RecordAt,
  WriteOf,
} from './request-type.ts'
import type { ItemOf, ShapedResponse } from './response-type.ts'
import { type ListEnvelope, walk } from './walk-list.ts'

/**
 * The type of a read's result. The document describes only the common part of summaries; the record
 * type of the list gives the rest.
 */
type AnswerAt<P, K extends keyof P, E, F, C> = K extends `${string}/summary`
  ? SummaryAt<P, K, ShapedResponse<BodyOf<OperationOf<P, K, 'get'>>, E, F, C>>
  : ShapedResponse<BodyOf<OperationOf<P, K, 'get'>>, E, F, C>
type SummaryAt<P, K extends keyof P, Else> = 0 extends 1 & RecordAt<P, K>
  ? Else
  : [RecordAt<P, K>] extends [never]
    ? Else
    : SummaryAnswer<RecordAt<P, K>>

type Read<P extends object> = <
  K extends PathsWith<P, 'get'>,
  const E extends ExpandParameter<OperationOf<P, K, 'get'>> = never,
  const F extends FieldsParameter<OperationOf<P, K, 'get'>> = never,
  const C extends CursorParameter<OperationOf<P, K, 'get'>> = never,
>(
  path: K,
  ...options: ReadArgument<K, ReadOptions<OperationOf<P, K, 'get'>, RecordAt<P, K>, E, F, C>>
) => Promise<AnswerAt<P, K, E, F, C>>

type All<P extends object> = <
  K extends PathsWith<P, 'get'>,
  const E extends ExpandParameter<OperationOf<P, K, 'get'>> = never,
  const F extends FieldsParameter<OperationOf<P, K, 'get'>> = never,
>(
  path: K,
  ...options: ReadArgument<K, ReadOptions<OperationOf<P, K, 'get'>, RecordAt<P, K>, E, F, string>>
) => AsyncGenerator<ItemOf<BodyOf<OperationOf<P, K, 'get'>>, E, F>, void, undefined>

type Write<P extends object, M extends 'put' | 'post' | 'patch' | 'delete'> = <
  K extends PathsWith<P, M>,
  const E extends ExpandParameter<OperationOf<P, K, M>> = never,
>(
  path: K,
  ...options: Argument<WriteOf<OperationOf<P, K, M>, RecordAt<P, K>, E>>
) => Promise<Written<BodyOf<OperationOf<P, K, M>>, E>>
/** The answer to a write, with the relations that its query expands. */
type Written<B, E> = [E] extends [never] ? B : ShapedResponse<B, E, never, never>

/**
 * `P`: the `paths` type that `bindery types` writes. Every request throws `RequestError` for any
 * response that is not a success.
 */
export type Client<P extends object = AnyPaths> = ApiConnection & {
  readonly get: Read<P>
  readonly post: Write<P, 'post'>
  readonly put: Write<P, 'put'>
  readonly patch: Write<P, 'patch'>
  readonly delete: Write<P, 'delete'>
  /** Every record of a list, page after page. */
  readonly all: All<P>
  /**
   * The changes of lists, for as long as the loop runs: `for await (const change of
   * client.changes({ resources: ['notes'] }))`. It goes on by itself after a lost connection. Store
   * the `position` of the last change to resume in another run.
   */
  readonly changes: FollowChanges<P>
  /**
   * A list that stays right: `for await (const event of client.live('notes', { filter }))`, or as a
   * store, `useSyncExternalStore(list.subscribe, list.getSnapshot)`.
   */
  readonly live: Live<P>
  /**
   * Reads a record, asks `change` for the new values, and sends them with `If-Match`. After a
   * concurrent write it starts again, at most ten times.
   */
  edit<
    K extends PathsWith<P, 'get'> & PathsWith<P, 'patch'>,
    const E extends ExpandParameter<OperationOf<P, K, 'patch'>> = never,
  >(
    path: K,
    options: Omit<WriteOf<OperationOf<P, K, 'patch'>, never, E>, 'body' | 'ifMatch'>,
    change: (
      record: ShapedResponse<BodyOf<OperationOf<P, K, 'get'>>, never, never, never>,
    ) => WriteOf<OperationOf<P, K, 'patch'>>['body'],
  ): Promise<Written<BodyOf<OperationOf<P, K, 'patch'>>, E>>
}

const editsMax = 10

type LooseClient = ApiConnection & {
  readonly [M in 'get' | 'post' | 'put' | 'patch' | 'delete']: (
    path: string,
    options?: AnyRequestOptions,
  ) => Promise<unknown>
} & {
  all(path: string, options?: AnyRequestOptions): AsyncGenerator<unknown, void, undefined>
  changes(options?: object): AsyncGenerator<unknown, void, undefined>
  live(name: string, options?: object): unknown
  edit(path: string, options: AnyRequestOptions, change: (record: unknown) => unknown): Promise<unknown>
}

function withMethods(connection: ApiConnection): LooseClient {
  const { send } = connection
  const method = (name: string) => async (path: string, options?: AnyRequestOptions) =>
    (await send(name, path, options)).body

  async function* all(path: string, { query = {}, ...options }: AnyRequestOptions = {}) {
    const read = async (asked: Readonly<Record<string, unknown>>) =>
      (await send('GET', path, { ...options, query: asked })).body as ListEnvelope
    for await (const { data } of walk(read, query)) yield* data
  }

  async function edit(
    path: string,
    options: AnyRequestOptions,
    change: (record: unknown) => unknown,
  ): Promise<unknown> {
    for (let tries = 1; ; tries += 1) {
      const { body, etag } = await send('GET', path, { path: options.path, signal: options.signal })
      if (etag === undefined) throw new TypeError(`${path} answers with no version`)
      try {
        return (await send('PATCH', path, { ...options, ifMatch: etag, body: change(body) })).body
      } catch (error) {
        if (!(error instanceof RequestError && error.status === 412) || tries === editsMax) throw error
      }
    }
  }

  return {
    ...connection,
    get: method('GET'),
    post: method('POST'),
    put: method('PUT'),
    patch: method('PATCH'),
    delete: method('DELETE'),
    all,
    changes: (options) => followChanges(connection, options),
    live: makeLive(connection),
    edit,
  }
}

/** A client of the server at `url`. Throws `TypeError` when that is not an address. */
export function createClient<P extends object = AnyPaths>(options: ClientOptions): Client<P> {
  // The methods are the same for every API; `P` types their paths and bodies.
  return withMethods(makeConnection(options)) as Client<P>
}
