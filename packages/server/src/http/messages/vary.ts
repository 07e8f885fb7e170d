/** Joins the header names that several steps put into `Vary`. */
import { LRUCache } from 'lru-cache'

/** The headers that identify the caller. */
export const byCaller = 'Authorization, X-API-Key'
/** The same, where the tenant that the request names matters too. */
export const byCallerAndTenant = `${byCaller}, X-Tenant` as const

/** A cache of few entries: they follow from routes and the configuration. */
const joined = new LRUCache<string, string>({ max: 100 })

/**
 * `joinVary('Origin', 'Accept-Encoding')` → 'Origin, Accept-Encoding'. A name appears once; `*`
 * stands alone.
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
