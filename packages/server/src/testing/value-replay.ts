/**
 * Replays the values that the change log keeps for `changes`. The newest values of each record must
 * be those of its row, and each values before must be those after its last change.
 */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { Resource } from '../resource/catalog.ts'
import type { Change } from '../storage/changes.ts'
import type { Row, Values } from '../storage/storage.ts'

/** `values`: null for a record that is gone. */
type LastValues = { readonly sequence: number; readonly values: Values | null }

export type ValueReplay = {
  take(change: Change): void
  /** Throws where a record differs from its row. */
  compare(rows: readonly Row[]): void
}

export function makeValueReplay({ name, idField, loggedNames = [] }: Resource): ValueReplay {
  const last = new Map<string, LastValues>()
  const own = (row: Values) => Object.fromEntries(loggedNames.map((one) => [one, row[one] ?? null]))
  /** Delivered before an older change of another process, so it is compared with no other one. */
  let mistake: string | undefined

  return {
    take({ sequence, kind, records, values, isErased }) {
      if (kind === 'unknown') return
      if (!isErased && values?.length !== records.length)
        mistake ??= `change ${sequence} of ${name} lacks the values of its records`
      for (const [i, { id }] of records.entries()) {
        const { before = null, after = null } = values?.[i] ?? {}
        const known = last.get(String(id))
        if (!isErased && known?.sequence === sequence - 1 && !isDeepStrictEqual(known.values, before))
          mistake ??= `change ${sequence} of ${name} ${id} begins with other values than the last one ended with`
        if ((known?.sequence ?? 0) < sequence) last.set(String(id), { sequence, values: after })
      }
    },
    compare(rows) {
      assert.equal(mistake, undefined)
      const stored = new Map(rows.map((row) => [String(row[idField]), own(row)]))
      for (const [id, { values }] of last)
        assert.deepEqual(values, stored.get(id) ?? null, `the values of ${name} ${id} in the change log and its row`)
    },
  }
}
