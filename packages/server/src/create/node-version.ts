/**
 * Checks whether the engine supports a version of Node. It must load on any Node, so it imports
 * nothing.
 */

/**
 * The range in `engines`: of each line the first version with a safe SQLite
 * (`storage/sqlite/connection.ts`). All of them run TypeScript directly. Odd lines are left out,
 * because their support ends too soon.
 */
export const nodeRange = '^24.15.0 || >=26.0.0'

/** `numbersOf('24.18.0')` → [24, 18, 0] */
function numbersOf(version: string): number[] {
  return version.split('.').map((part) => Number.parseInt(part, 10))
}

function isAtLeast(version: readonly number[], least: readonly number[]): boolean {
  for (const [i, number] of least.entries()) {
    if (version[i] !== number) return (version[i] ?? 0) > number
  }
  return true
}

/** `fits('24.18.0')` → true */
export function fits(version: string): boolean {
  const own = numbersOf(version)
  return nodeRange.split(' || ').some((range) => {
    const [, operator, least = ''] = /^(\^|>=)(\d+\.\d+\.\d+)$/.exec(range) ?? []
    return isAtLeast(own, numbersOf(least)) && (operator === '>=' || own[0] === numbersOf(least)[0])
  })
}

/** One sentence that says what to do; undefined when the version is supported. */
export function findNodeProblem(version: string): string | undefined {
  if (fits(version)) return undefined
  return `Bindery needs Node ${nodeRange.replaceAll(' || ', ' or ')}, and this is ${version}. In the folder of your application, npm install node@24 brings one.`
}
