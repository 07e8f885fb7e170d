/** Suggests the closest valid name for an unknown one. */

/**
 * How many letters must be put in, left out, changed or swapped with their neighbour.
 * `distance('wirte', 'write')` → 1
 */
export function distance(a: string, b: string): number {
  let [beforeLast, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = (last[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(changed, (last[j] as number) + 1, (row[j - 1] as number) + 1)
      if (swapped) row[j] = Math.min(row[j] as number, (beforeLast[j - 2] as number) + 1)
    }
    ;[beforeLast, last] = [last, row]
  }
  return last[b.length] as number
}

/**
 * The closest of the names, if at most a third of its letters differ. `nearest('sortible',
 * ['sortable'])` → `sortable`
 */
export function nearest(word: string, names: Iterable<string>): string | undefined {
  let best: { readonly name: string; readonly off: number } | undefined
  for (const name of names) {
    if (Math.abs(name.length - word.length) > 4) continue
    const off = distance(word.toLowerCase(), name.toLowerCase())
    if (off <= Math.max(1, Math.floor(name.length / 3)) && off < name.length && off < (best?.off ?? Infinity))
      best = { name, off }
  }
  return best?.name
}

/** The end of a sentence about an unknown name: `; did you mean "write"?`, or nothing. */
export function findMeant(word: string, names: Iterable<string>): string {
  const name = nearest(word, names)
  return name === undefined ? '' : `; did you mean "${name}"?`
}

/** The same, or else all the names: `; there are clear, delete`. */
export function didYouMean(word: string, names: readonly string[]): string {
  return findMeant(word, names) || (names.length === 0 ? '' : `; there are ${names.join(', ')}`)
}
