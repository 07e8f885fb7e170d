/**
 * Reads a whole list in chunks by keyset: each read begins after the last row of the one before.
 */
import type { CursorPosition } from '../operation/operation.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Reader, RowCursor, RowCursorRequest } from './storage.ts'

export function walkByKeys({ list }: Pick<Reader, 'list'>, resource: Resource, request: RowCursorRequest): RowCursor {
  let after: CursorPosition | null = null
  let ended = false
  return {
    async next() {
      if (ended) return []
      const rows = await list(resource, { ...request, after })
      const last = rows.at(-1)
      ended = rows.length < request.limit
      if (last) after = { values: request.sort.map((key) => last[key.field] as string) }
      return rows
    },
    close() {},
  }
}
