/**
 * Import lines that have to wait. Either a later line creates the record that they refer to, or an
 * earlier line with the same key is pending. Lines that still wait at the end refer to missing
 * records, or form a circle.
 */
import type { ImportLine } from '../../operation/operation.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { NaturalKey } from './natural-keys.ts'

export type PendingLine = {
  readonly line: ImportLine
  readonly plain: Record<string, unknown>
  readonly references: ReadonlyMap<string, NaturalKey | null>
  /** The key by which the line finds its record. */
  readonly match: NaturalKey | undefined
  /** The keys of its record, as texts. */
  readonly makes: readonly string[]
  /** The error in the line itself. */
  readonly fault: string | undefined
}
type WaitingLine = { readonly line: PendingLine; readonly missing: ReadonlyMap<string, string> }

export type WaitingLines = {
  /**
   * `missing`: the texts of keys, by the reference that needs them. False when too many lines wait
   * already.
   */
  add(line: PendingLine, missing: ReadonlyMap<string, string>): boolean
  /** The lines that waited for one of these keys. */
  release(keys: readonly string[]): PendingLine[]
  /** Removes the lines whose references no waiting line will create. */
  hopeless(): { readonly line: PendingLine; readonly field: string }[]
  /**
   * Removes a line of a circle. The result names the references that must stay empty for now, where
   * all of them are optional.
   */
  breakCircle():
    | { readonly line: PendingLine; readonly empty: readonly string[]; readonly mayBeEmpty: boolean }
    | undefined
  /** Removes all lines. */
  rest(): PendingLine[]
}

export function makeWaitingLines(resource: Resource, charactersMax: number): WaitingLines {
  const waiting = new Map<number, WaitingLine>()
  const byKey = new Map<string, Set<number>>()
  /** How many waiting lines create a key. */
  const makers = new Map<string, number[]>()
  let characters = 0

  function takeOut(number: number): PendingLine | undefined {
    const one = waiting.get(number)
    if (!one) return undefined
    waiting.delete(number)
    characters -= one.line.line.text.length
    for (const key of one.missing.values()) byKey.get(key)?.delete(number)
    for (const key of one.line.makes) {
      const others = (makers.get(key) ?? []).filter((other) => other !== number)
      if (others.length > 0) makers.set(key, others)
      else makers.delete(key)
    }
    return one.line
  }

  return {
    add(line, missing) {
      const { line: number, text } = line.line
      if (characters + text.length > charactersMax) return false
      characters += text.length
      waiting.set(number, { line, missing })
      for (const key of missing.values()) byKey.set(key, (byKey.get(key) ?? new Set()).add(number))
      for (const key of line.makes) makers.set(key, [...(makers.get(key) ?? []), number])
      return true
    },
    release(keys) {
      const numbers = keys.flatMap((key) => [...(byKey.get(key) ?? [])])
      for (const key of keys) byKey.delete(key)
      return [...new Set(numbers)].sort((a, b) => a - b).flatMap((number) => takeOut(number) ?? [])
    },
    hopeless() {
      const found: { line: PendingLine; field: string }[] = []
      const look = [...waiting.keys()]
      for (let number = look.pop(); number !== undefined; number = look.pop()) {
        const missing = waiting.get(number)?.missing ?? []
        const field = [...missing].find(([, key]) => !makers.has(key))?.[0]
        const line = field === undefined ? undefined : takeOut(number)
        if (!line || field === undefined) continue
        found.push({ line, field })
        // Lines that waited for this one may be without hope now
        look.push(...line.makes.filter((key) => !makers.has(key)).flatMap((key) => [...(byKey.get(key) ?? [])]))
      }
      return found.sort((a, b) => a.line.line.line - b.line.line.line)
    },
    breakCircle() {
      let [number] = waiting.keys()
      const path: number[] = []
      while (number !== undefined && !path.includes(number)) {
        path.push(number)
        const [key] = [...(waiting.get(number)?.missing.values() ?? [])]
        number = makers.get(key ?? '')?.[0]
      }
      if (number === undefined) return undefined
      const circle = path.slice(path.indexOf(number))
      const emptyOf = (one: number) => [...(waiting.get(one)?.missing.keys() ?? [])]
      const mayBeEmpty = (one: number) => emptyOf(one).every((name) => resource.fields[name]?.nullable)
      const chosen = circle.find(mayBeEmpty) ?? number
      const empty = emptyOf(chosen)
      const may = mayBeEmpty(chosen)
      return { line: takeOut(chosen) as PendingLine, empty, mayBeEmpty: may }
    },
    rest: () => [...waiting.keys()].flatMap((number) => takeOut(number) ?? []),
  }
}
