/** The words of `Vary`, from whoever has one to say. */
import { LRUCache } from 'lru-cache'

/** The headers that say who asks. */
export const byCaller = 'Authorization, X-API-Key'

/** There are few different ones: they follow from routes and the configuration. */
const joined = new LRUCache<string, string>({ max: 100 })

/**
 * `joinVary('Origin', 'Accept-Encoding')` → 'Origin, Accept-Encoding'. A word that is there is not
 * said twice; `*` has said everything.
 */
export function joinVary(...said: readonly (string | readonly string[] | number | undefined)[]): string {
  const all = said.join(',')
  const known = joined.get(all)
  if (known !== undefined) return known
  const words = new Map<string, string>()
  for (const word of all.split(',')) {
    const name = word.trim()
    if (name !== '' && !words.has(name.toLowerCase())) words.set(name.toLowerCase(), name)
  }
  const text = words.has('*') ? '*' : [...words.values()].join(', ')
  joined.set(all, text)
  return text
}
