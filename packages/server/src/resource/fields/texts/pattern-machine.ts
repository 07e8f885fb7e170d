/**
 * Matches texts with patterns in bounded time: the length of the text, times the size of the
 * pattern. It follows all ways through the pattern at once, and never goes back (Thompson's
 * construction).
 */
import { type PatternNode, PatternProblem, parsePattern } from './pattern.ts'

/** Of a character, or of none: then both ways are open at once. The last state is the end. */
type State =
  | { readonly kind: 'one'; readonly next: number; readonly test: Test }
  | { readonly kind: 'ways'; readonly ways: readonly number[] }
  | { readonly kind: 'end' }

export type PatternMachine = {
  readonly size: number
  matches(text: string): boolean
  /** The shortest text that matches, for documents; undefined where none does. */
  readonly shortest: string | undefined
}

const statesMax = 1000

type Test = (character: string) => boolean
type Built = { readonly states: State[]; readonly tests: Map<string, Test> }

function makeTest(source: string): Test {
  const pattern = new RegExp(`^${source}$`, 'u')
  const ascii = Array.from({ length: 128 }, (_, code) => pattern.test(String.fromCharCode(code)))
  return (character) => {
    const code = character.codePointAt(0) as number
    return code < ascii.length ? (ascii[code] as boolean) : pattern.test(character)
  }
}

function add({ states }: Built, state: State): number {
  if (states.length >= statesMax)
    throw new PatternProblem('is too large: what it repeats counts as often as it may come')
  return states.push(state) - 1
}

/** The state that begins the node and goes on to `next`. */
function build(into: Built, node: PatternNode, next: number): number {
  switch (node.kind) {
    case 'one': {
      const test = into.tests.get(node.source) ?? makeTest(node.source)
      into.tests.set(node.source, test)
      return add(into, { kind: 'one', next, test })
    }
    case 'parts':
      return node.parts.reduceRight((behind, part) => build(into, part, behind), next)
    case 'options':
      return add(into, { kind: 'ways', ways: node.options.map((option) => build(into, option, next)) })
    case 'repeat':
      return buildRepeat(into, node, next)
  }
}

function buildRepeat(into: Built, { of, min, max }: PatternNode & { readonly kind: 'repeat' }, next: number): number {
  let first = next
  if (max === Number.POSITIVE_INFINITY) {
    const ways = [next]
    first = add(into, { kind: 'ways', ways })
    ways.push(build(into, of, first))
  }
  for (let i = min; i < max && max !== Number.POSITIVE_INFINITY; i += 1)
    first = add(into, { kind: 'ways', ways: [build(into, of, first), next] })
  for (let i = 0; i < min; i += 1) first = build(into, of, first)
  return first
}

/** The states of characters, and the end, that the places reach without a character. */
function reached(states: readonly State[], from: Iterable<number>): Set<number> {
  const seen = new Set<number>()
  const open = [...from]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue
    seen.add(at)
    const state = states[at] as State
    if (state.kind === 'ways') open.push(...state.ways)
  }
  return seen
}

function step(states: readonly State[], places: ReadonlySet<number>, character: string): Set<number> {
  const next = new Set<number>()
  for (const at of places) {
    const state = states[at] as State
    if (state.kind === 'one' && state.test(character)) next.add(state.next)
  }
  return reached(states, next)
}

/** Characters that a reader of an example expects come first. */
const candidates = ['A', 'a', '0', '1', '-', ...Array.from({ length: 0x2fff }, (_, i) => String.fromCodePoint(i + 32))]

/** Breadth first, so that the first text found is one of the shortest. */
function shortestOf(states: readonly State[], start: number): string | undefined {
  const seen = new Set<number>()
  let ways: (readonly [at: number, text: string])[] = [[start, '']]
  while (ways.length > 0) {
    const next: (readonly [at: number, text: string])[] = []
    for (const [from, text] of ways) {
      for (const at of reached(states, [from])) {
        const state = states[at] as State
        if (state.kind === 'end') return text
        if (state.kind !== 'one' || seen.has(at)) continue
        seen.add(at)
        const character = candidates.find(state.test)
        if (character !== undefined) next.push([state.next, text + character])
      }
    }
    ways = next
  }
  return undefined
}

/** Throws a `PatternProblem`. */
export function makePatternMachine(source: string): PatternMachine {
  const states: State[] = [{ kind: 'end' }]
  const start = build({ states, tests: new Map() }, parsePattern(source), 0)
  const first = reached(states, [start])
  return {
    size: states.length,
    shortest: shortestOf(states, start),
    matches(text) {
      let places = first
      for (const character of text) {
        places = step(states, places, character)
        if (places.size === 0) return false
      }
      return places.has(0)
    },
  }
}
