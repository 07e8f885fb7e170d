/**
 * Steps of an effect. A write of its own stores the result of each finished step before the next
 * one begins. So a later try does not repeat it. A process that dies between the end of a step
 * and that write repeats the step.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { refuseGuarded } from '../record/guard/guarded-code.ts'
import type { RunStep } from '../resource/effects/effect-step.ts'

/** Name and result, in the order of their ends. One without a result has a name alone. */
type FinishedStep = readonly [name: string, result?: unknown]

type StepsDeps = {
  /** Those of earlier tries, as JSON text. */
  readonly finished: string | null
  /** Stores all of them. Returns whether this process still has the effect. */
  keep(finished: string): Promise<boolean>
  readonly signal: AbortSignal
}

const nameLengthMax = 100
const resultsLengthMax = 1_000_000
/** A value that refers to itself has no depth. */
const depthMax = 100
/** While the database does not answer. */
const pauseMs = 200

/** The place of a value that JSON does not have: `''` for the value itself, `.at` for a member. */
function placeOfMistake(value: unknown, place = '', depth = 0): string | undefined {
  if (value === null || value === undefined || ['string', 'boolean'].includes(typeof value)) return undefined
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : place
  if (typeof value !== 'object') return place
  if (depth > depthMax) return `${place.slice(0, nameLengthMax)}…`
  const isPlain = Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value))
  if (!isPlain) return place
  for (const [name, member] of Object.entries(value)) {
    const found = placeOfMistake(member, Array.isArray(value) ? `${place}[${name}]` : `${place}.${name}`, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

function checkName(name: unknown, used: ReadonlySet<string>): void {
  if (typeof name !== 'string' || name === '' || name.length > nameLengthMax)
    throw new Error(`The name of a step is a text of 1 to ${nameLengthMax} characters`)
  if (used.has(name)) throw new Error(`step('${name}') is twice in one run: give each step a name of its own`)
}

function checkedResult(name: string, result: unknown): FinishedStep {
  const place = placeOfMistake(result)
  if (place !== undefined)
    throw new Error(
      `The result${place} of step('${name}') is not JSON: return texts, numbers, lists and plain objects of these`,
    )
  return result === undefined ? [name] : [name, result]
}

export function makeSteps({ finished, keep, signal }: StepsDeps): RunStep {
  const results: FinishedStep[] = finished === null ? [] : JSON.parse(finished)
  const known = new Map(results.map((one) => [one[0], one]))
  const used = new Set<string>()
  let storing: Promise<void> = Promise.resolve()

  async function keepUntilStored(): Promise<void> {
    const text = JSON.stringify(results)
    if (text.length > resultsLengthMax)
      throw new Error(`The results of the steps are longer than ${resultsLengthMax} characters: return ids alone`)
    for (;;) {
      try {
        if (await keep(text)) return
      } catch (error) {
        if (signal.aborted) throw error
        await sleep(pauseMs, undefined, { signal })
        continue
      }
      throw new Error('This process no longer has the effect: another one runs it, or it was withdrawn')
    }
  }

  async function store(one: FinishedStep): Promise<void> {
    results.push(one)
    storing = storing.then(keepUntilStored)
    await storing
  }

  return async (name, work) => {
    refuseGuarded('step', 'step')
    checkName(name, used)
    used.add(name)
    const earlier = known.get(name)
    if (earlier) return earlier[1] as never
    signal.throwIfAborted()
    const one = checkedResult(name, await work())
    await store(one)
    // As a later try reads it: without members that are undefined.
    return (one.length === 1 ? undefined : JSON.parse(JSON.stringify(one[1]))) as never
  }
}
