/**
 * API keys as a mail lists them: how many there are, and how each begins. Their names are left out:
 * a stranger may have written them.
 */

import type { ApiKeyMark } from '../../resource/accounts/identity-mark.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { all, any, equal, isNull, type Scalar } from '../../resource/condition.ts'
import type { Reader, Row } from '../../storage/storage.ts'

const shownMax = 20

/** Those that no longer work are left out; at most this many are read. */
const readMax = 1000

/** `2 (bk_x7Kp2q, bk_0aZ9dd)`; `0` for none. */
export function listKeys({ prefix }: Pick<ApiKeyMark, 'prefix'>, rows: readonly Row[]): string {
  const prefixes =
    prefix === undefined ? [] : rows.map((row) => row[prefix] as string | null).filter((one) => one !== null)
  if (prefixes.length === 0) return String(rows.length)
  return `${rows.length} (${[...prefixes.slice(0, shownMax), ...(prefixes.length > shownMax ? ['…'] : [])].join(', ')})`
}

type KeyListRequest = { readonly owner: Scalar; readonly now: string }

/** The keys of a user that work, oldest first; undefined in an application without keys. */
export async function usableKeys(
  reader: Pick<Reader, 'list'>,
  { apiKey }: Pick<Catalog, 'apiKey'>,
  { owner, now }: KeyListRequest,
): Promise<Row[] | undefined> {
  if (!apiKey) return undefined
  const { resource, mark } = apiKey
  const isLeft = { kind: 'compare', field: mark.expiresAt, operator: 'gt', value: now } as const
  const where = all(equal(mark.owner, owner), equal(mark.active, true), any(isNull(mark.expiresAt), isLeft))
  const sort = [{ field: resource.idField, descending: false }]
  return reader.list(resource, { where, sort, limit: readMax, after: null })
}
