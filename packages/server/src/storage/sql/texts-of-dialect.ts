/** The texts of statements in the syntax of a database. Each dialect builds its own once. */
import type { EffectDialect } from './effect-statements.ts'

/** `make`: the texts with parameters as `$1`. */
export function textsOfDialect<N extends string>(
  make: (dialect: EffectDialect) => Readonly<Record<N, string>>,
): (dialect: EffectDialect) => Readonly<Record<N, string>> {
  const known = new WeakMap<EffectDialect, Readonly<Record<N, string>>>()
  return (dialect) => {
    const found = known.get(dialect)
    if (found) return found
    const placed = Object.entries<string>(make(dialect)).map(([name, sql]) => [name, dialect.place(sql)])
    const texts = Object.fromEntries(placed) as Record<N, string>
    known.set(dialect, texts)
    return texts
  }
}
