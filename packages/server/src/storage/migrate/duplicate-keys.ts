/**
 * Finds duplicates among millions of keys in two passes. The first keeps a hash of 53 bits for each
 * key; the second compares only keys whose hash occurred more than once. 100 million keys take 0.8
 * GB.
 */
import { hash } from 'node:crypto'
import { jsonText } from '../../base/json-text.ts'
import type { Scalar } from '../../resource/condition.ts'

const chunkKeys = 65_536
const keysNamed = 10
/** Messages name so many ids of records. */
export const idsNamed = 10

export type DuplicateKey = { readonly key: readonly string[]; readonly count: number; readonly ids: readonly Scalar[] }
export type DuplicateFinder = {
  first(key: readonly string[]): void
  /** After the first pass: whether a second one is needed. */
  hasSome(): boolean
  second(key: readonly string[], id: Scalar): void
  /** The first ten duplicates. */
  named(): readonly DuplicateKey[]
}

function numberOf(text: string): number {
  const bytes = hash('sha1', text, 'buffer')
  return bytes.readUIntBE(0, 6) * 32 + ((bytes[6] as number) & 31)
}

export function makeDuplicateFinder(): DuplicateFinder {
  const chunks: Float64Array[] = []
  let count = 0
  let suspects: Set<number> | undefined
  const found = new Map<string, { key: readonly string[]; count: number; ids: Scalar[] }>()

  function findSuspects(): Set<number> {
    const all = new Float64Array(count)
    for (const [i, chunk] of chunks.entries())
      all.set(chunk.subarray(0, Math.min(chunkKeys, count - i * chunkKeys)), i * chunkKeys)
    chunks.length = 0
    all.sort()
    const twice = new Set<number>()
    for (let i = 1; i < all.length; i += 1)
      if (all[i] === all[i - 1] && twice.size < 10_000) twice.add(all[i] as number)
    return twice
  }

  return {
    first(key) {
      const at = count % chunkKeys
      if (at === 0) chunks.push(new Float64Array(chunkKeys))
      ;(chunks.at(-1) as Float64Array)[at] = numberOf(jsonText(key))
      count += 1
    },
    hasSome() {
      suspects ??= findSuspects()
      return suspects.size > 0
    },
    second(key, id) {
      const text = jsonText(key)
      if (!suspects?.has(numberOf(text))) return
      const known = found.get(text) ?? { key, count: 0, ids: [] }
      known.count += 1
      if (known.ids.length < idsNamed) known.ids.push(id)
      found.set(text, known)
    },
    named: () => [...found.values()].filter((one) => one.count > 1).slice(0, keysNamed),
  }
}
