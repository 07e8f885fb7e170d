/** The words of `Vary`, from whoever has one to say. */

/** `joinVary('Origin', 'Accept-Encoding')` → 'Origin, Accept-Encoding'. A word that is there is not said twice; `*` has said everything. */
export function joinVary(...said: readonly (string | readonly string[] | number | undefined)[]): string {
  const words = new Map<string, string>()
  for (const word of said.flat().join(',').split(',')) {
    const name = word.trim()
    if (name !== '' && !words.has(name.toLowerCase())) words.set(name.toLowerCase(), name)
  }
  return words.has('*') ? '*' : [...words.values()].join(', ')
}
