/**
 * Counts now and then how many rows have a trigram. A part's two rarest trigrams find its rows
 * several times faster than two with rare letters. Sizes affect only the cost of a read, so old
 * ones do no harm.
 */
import { boundedCache } from '../../../base/bounded-cache.ts'
import type { SqliteConnection } from '../connection.ts'
import { quoted, type RankTrigrams, rareLettersFirst } from './text-match.ts'

const knownMax = 20_000
const knownForMs = 600_000
/**
 * The count stops here, after a millisecond at most. A more frequent trigram is used only where
 * there is no other.
 */
const countedMax = 10_000
/** Trigrams counted for one part; the others rank by their letters until their turn. */
const countedAtOnce = 3

export function makeTrigramSizes(reader: SqliteConnection): RankTrigrams {
  const known = boundedCache<string, number>({ entriesMax: knownMax, keptMs: knownForMs })

  function count(table: string, trigram: string): number {
    const sql = `select count(*) from (select 1 from "${table}" where "${table}" match ? limit ${countedMax})`
    return reader.first({ sql, parameters: [quoted(trigram)] })?.[0] as number
  }

  return (table, trigrams) => {
    let left = countedAtOnce
    const sizes = new Map<string, number>()
    for (const trigram of rareLettersFirst(table, trigrams).ranked) {
      const key = `${table} ${trigram}`
      let size = known.get(key)
      if (size === undefined && left > 0) {
        left -= 1
        size = count(table, trigram)
        known.set(key, size)
      }
      sizes.set(trigram, size ?? countedMax)
    }
    const ranked = [...sizes].toSorted(([, a], [, b]) => a - b)
    const least = ranked[0]?.[1] ?? countedMax
    return { ranked: ranked.map(([trigram]) => trigram), most: least < countedMax ? least : undefined }
  }
}
