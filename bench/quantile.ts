/** The value below which so large a part of all is: 0.5 for the median. */
export function quantile(all: readonly number[], part: number): number {
  return all.toSorted((a, b) => a - b)[Math.min(all.length - 1, Math.floor(all.length * part))] as number
}
