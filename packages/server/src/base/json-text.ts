/** JSON for the engine's own use: keys, cursors, copies and comparisons of stored values. */

const withLongs = (_name: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)

/**
 * The JSON of a stored value or a condition. A 64-bit integer becomes a text: `JSON.stringify`
 * throws for one. Values without one take the fast way, which has no function for each member.
 */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return JSON.stringify(value, withLongs)
  }
}
