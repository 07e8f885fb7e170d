/** The version of SQLite in this Node; it differs between Node's release lines. */

/** `isAtLeast('3.51.3', [3, 51, 3])` → true */
export function isAtLeast(version: string, least: readonly number[]): boolean {
  const parts = version.split('.').map(Number)
  for (const [i, number] of least.entries()) {
    if ((parts[i] ?? 0) !== number) return (parts[i] ?? 0) > number
  }
  return true
}
