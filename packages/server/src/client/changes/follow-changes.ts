/**
 * Follows the feed of changes as an async iterable. It resumes behind the last transaction that it
 * has given, after lost connections too. Where the server no longer knows what happened since, it
 * says so, and goes on from the present.
 */
import type { AnyRequestOptions, ApiConnection } from '../make-connection.ts'
import { RequestError } from '../request-error.ts'
import type { AnyPaths, PathsWith, RecordAt } from '../request-type.ts'
import { isPassing, never, pause } from './reconnect.ts'

/** `/api/v1/notes` → `notes` */
type SlugIn<K> = K extends `/api/v1/${infer S}` ? (S extends `${string}/${string}` | `_${string}` ? never : S) : never
/** The names of lists, as their paths have them. */
export type FollowedName<P> = string extends keyof P ? string : SlugIn<PathsWith<P, 'get'>>

type RecordOf<P, N extends string> = `/api/v1/${N}` extends keyof P ? RecordAt<P, `/api/v1/${N}` & keyof P> : unknown
type Shown<T> = 0 extends 1 & T ? T : Readonly<Partial<T>>
/** A record of a list, with the fields that the caller may read. */
export type FollowedRecord<P, N extends string> = Shown<RecordOf<P, N>>

type EventFacts<N> = {
  readonly resource: N
  readonly id: string | number
  /** The time of the write. */
  readonly at: string
  /** The same for all changes of one transaction. */
  readonly transaction: string
  /** The id of the request, for the own writes of the caller. */
  readonly requestId?: string
  /** True for the last change of its transaction, which has the position behind it. */
  readonly last?: true
  readonly position?: string
}
type Changed<N, T> = EventFacts<N> &
  (
    | { readonly type: 'enter'; readonly version?: number; readonly record: T }
    | { readonly type: 'change'; readonly version?: number; readonly record: T; readonly before: T }
    | { readonly type: 'leave' | 'delete' }
  )
/** Read the lists again: changes before this position are not known. */
export type LostChanges = { readonly type: 'lost'; readonly position: string; readonly reason: string }
export type ChangeOf<P, N extends string> = { [K in N]: Changed<K, FollowedRecord<P, K>> }[N] | LostChanges

export type FollowOptions<N extends string> = {
  /** The lists, as their paths name them; all that the caller may list by default. */
  readonly resources?: readonly N[]
  /** Filters of the lists, in the form of `filter`. */
  readonly filters?: { readonly [K in N]?: object }
  /** A position from an earlier change, from an answer, or a `Change-Position`; now by default. */
  readonly after?: string
  /** How many seconds the server holds a request that has nothing to say: 20 by default. */
  readonly wait?: number
  readonly signal?: AbortSignal
}

export type FollowChanges<P extends object = AnyPaths> = <const N extends FollowedName<P>>(
  options?: FollowOptions<N>,
) => AsyncGenerator<ChangeOf<P, N>, void, undefined>

type Page = {
  readonly data: readonly unknown[]
  readonly meta: { readonly position: string; readonly hasMore: boolean }
}

const changesPath = '/api/v1/_changes'
const waitSeconds = 20

function queryOf({ resources, filters = {} }: FollowOptions<string>): Record<string, unknown> {
  const named = Object.entries(filters).map(([name, filter]) => [`filter[${name}]`, filter])
  return { ...(resources && { resources }), ...Object.fromEntries(named) }
}

/** Throws `RequestError` for every refusal that will not pass; ends when the signal is aborted. */
export async function* followChanges(
  { send }: Pick<ApiConnection, 'send'>,
  options: FollowOptions<string> = {},
): AsyncGenerator<unknown, void, undefined> {
  const { signal = never, wait = waitSeconds } = options
  const query = queryOf(options)
  const read = async (asked: AnyRequestOptions['query']) =>
    (await send('GET', changesPath, { query: { ...query, ...asked }, signal })).body as Page
  let position = options.after
  let failures = 0
  while (!signal.aborted) {
    try {
      const { data, meta } = await read(position === undefined ? {} : { after: position, wait })
      failures = 0
      yield* data
      position = meta.position
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof RequestError && error.status === 410) {
        position = (error.body as { readonly position: string }).position
        yield { type: 'lost', position, reason: error.message } satisfies LostChanges
      } else if (isPassing(error)) {
        await pause(failures, signal, error)
        failures += 1
      } else throw error
    }
  }
}
