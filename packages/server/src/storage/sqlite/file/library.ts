/** Which SQLite this Node has: its lines bring different ones. */

/** `isAtLeast('3.51.3', [3, 51, 3])` → true */
export function isAtLeast(version: string, least: readonly number[]): boolean {
  const parts = version.split('.').map(Number)
  for (const [i, number] of least.entries()) {
    if ((parts[i] ?? 0) !== number) return (parts[i] ?? 0) > number
  }
  return true
}
