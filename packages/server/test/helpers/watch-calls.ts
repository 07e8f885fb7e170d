/** Counts work instead of time: reports each call of a method while a piece of work runs. */

type Noted = (self: unknown, given: readonly unknown[], result: unknown) => void

/** The methods tell of their calls until the function that this returns is called. */
export function watchCalls(owner: object, names: readonly string[], noted: Noted): () => void {
  const own = owner as Record<string, (...given: unknown[]) => unknown>
  const real = names.map((name) => [name, own[name] as (...given: unknown[]) => unknown] as const)
  for (const [name, method] of real)
    own[name] = function (this: unknown, ...given: unknown[]) {
      const result = method.apply(this, given)
      noted(this, given, result)
      return result
    }
  return () => {
    for (const [name, method] of real) own[name] = method
  }
}

const readers = [
  'normalize',
  'split',
  'replace',
  'replaceAll',
  'match',
  'matchAll',
  'toLowerCase',
  'toUpperCase',
  'trim',
]

/** How often a text of more than so many characters is taken apart, folded or searched. */
export function readsOfLong(characters: number, work: () => void): number {
  let reads = 0
  const isLong = (text: unknown) => String(text).length > characters
  const ends = [
    watchCalls(String.prototype, readers, (self) => {
      if (isLong(self)) reads += 1
    }),
    watchCalls(RegExp.prototype, ['exec', 'test'], (_, [text]) => {
      if (isLong(text)) reads += 1
    }),
  ]
  try {
    work()
  } finally {
    for (const end of ends) end()
  }
  return reads
}
