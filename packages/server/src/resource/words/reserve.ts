/**
 * Rows of the lists of reserved words (`reserved-words.ts`) and of the engine's paths
 * (`served-paths.ts`).
 */
import type { EngineOperation } from '../operation-kind.ts'

/**
 * The position of a name in a declaration. `type`: the type of a resource, `OrderItem` of
 * `orderItem`. `scope`: its plural as scopes have it, `order-items`. `relation`: the name that a
 * reference gives its record, `owner` of `ownerId`. `query`: of GraphQL. `input`: of an action.
 */
export type NamePosition =
  | 'field'
  | 'input'
  | 'filter'
  | 'relation'
  | 'child'
  | 'action'
  | 'query'
  | 'type'
  | 'scope'
  | 'resource'
  | 'path'

export type ReservedWord = {
  readonly word: string
  readonly at: NamePosition
  readonly use: string
  /** With NAME, where both stay; without it the start refuses the application's name. */
  readonly outcome?: string
  /** Where it is reserved: for the resource of users, or beside keys or the engine's tables. */
  readonly only?: 'users' | 'keys' | 'tables'
}

type WordFacts = Omit<ReservedWord, 'word' | 'at'> & { readonly at: readonly NamePosition[] }

export function reserve(words: Iterable<string>, { at, ...facts }: WordFacts): ReservedWord[] {
  return [...new Set(words)].flatMap((word) => at.map((one) => ({ word, at: one, ...facts })))
}

export type ServedPath = {
  /** `:file` is any segment. */
  readonly path: string
  /** At the root, below `/api/v1`, or both. */
  readonly mount: 'root' | 'api' | 'both'
  readonly use: string
  /** The operations that a resource would answer there, with this path or its first segment. */
  readonly operations: readonly EngineOperation[]
}

export function servePaths(
  mount: ServedPath['mount'],
  operations: ServedPath['operations'],
  uses: Readonly<Record<string, string>>,
): ServedPath[] {
  return Object.entries(uses).map(([path, use]) => ({ path, mount, use, operations }))
}
