/**
 * The effect queue on any executor: adding, claiming and ending effects. Ordered effects of one key
 * wait behind the first of them, so that a claim reads only effects that can run.
 */
import { readEffectTroubles } from '../inspect-effects.ts'
import type {
  ClaimedEffect,
  ClaimRequest,
  EffectDepth,
  EffectOutcomes,
  EffectPlace,
  EffectState,
  EffectWriter,
  NewEffect,
  RetriedEffect,
  StoredEffect,
  StoredEffects,
} from '../stored-effects.ts'
import { type EffectDialect, type EffectStatements, removedMax, textsOf } from './effect-statements.ts'
import type { Executor } from './reader.ts'
import type { Statement } from './statements.ts'

type RunInTransaction = <T>(work: (executor: Executor) => Promise<T>) => Promise<T>
type EffectRowsDeps = {
  readonly dialect: EffectDialect
  readonly reads: Executor
  readonly transaction: RunInTransaction
}

const json = (value: unknown): string => JSON.stringify(value)

const told = (sql: string, ...parameters: unknown[]): Statement => ({ sql, parameters })
const cellsOf = ({ id, kind, key, inOrder, dueMs, leftMs, payload, context }: NewEffect) => [
  id,
  kind,
  key,
  inOrder ? 1 : 0,
  dueMs,
  leftMs,
  payload,
  context,
]

/** `leave` inserts rows by this statement, and logs them in the change log. */
export function leavingEffects(
  dialect: EffectDialect,
  executor: Executor,
  leave: (statement: Statement, effects: readonly NewEffect[]) => Promise<void>,
): EffectWriter {
  const texts = textsOf(dialect)
  return {
    async leaveEffects(effects) {
      const [first, ...more] = effects.map(cellsOf)
      if (!first) return
      await leave(
        more.length === 0 ? told(texts.insertOne, ...first) : told(texts.insert, json([first, ...more])),
        effects,
      )
    },
    async takeBackEffects(kind, key) {
      const gone = await executor.run(told(texts.takeBack, kind, key))
      // An effect added meanwhile may wait behind one that is gone now
      if (gone > 0) await executor.run(told(texts.comeForward, kind, key))
      return gone
    },
    hasEffect: async ({ number, id }) => (await executor.first(told(texts.has, number, id))) !== undefined,
  }
}

type EndedEffects = { readonly ended: readonly EffectLine[]; readonly nowMs: number }
export type EffectLine = readonly [
  number: number,
  kind: string,
  key: string | null,
  inOrder: number,
  error?: string | null,
]

/**
 * `withCause('Given up by an operator', 'the feed is down')` → `'Given up by an operator; before:
 * the feed is down'`. An effect that is given up twice keeps its first cause.
 */
function withCause(error: string, before: string | null): string {
  if (before === null) return error
  return before === error || before.startsWith(`${error}; before: `) ? before : `${error}; before: ${before}`
}

type EffectCells = Omit<ClaimedEffect, 'wasLost'>

function readCells([number, id, kind, key, payload, leftMs, context, steps, tries]: unknown[]): EffectCells {
  return { number, id, kind, key, payload, leftMs, context, steps, tries } as EffectCells
}

const cellsOfEach = 9
const readClaimed = (cells: unknown[]): ClaimedEffect => ({
  ...readCells(cells),
  wasLost: cells[cellsOfEach] === 1,
})

function readStored(cells: unknown[]): StoredEffect {
  const [state, dueMs, error] = cells.slice(cellsOfEach)
  return { ...readCells(cells), state, dueMs, error } as StoredEffect
}

/**
 * Returns the candidates that are first of their key; the others wait for their turn. A row waits
 * only behind one that this transaction can lock. Another transaction may be deleting a locked one,
 * and would end without waking the row behind it.
 */
async function takeFirsts(
  texts: EffectStatements,
  executor: Executor,
  { kind, found }: { kind: string; found: unknown[][] },
) {
  const candidates = found as [number, string | null][]
  const keys = [...new Set(candidates.map(([, key]) => key))].filter((key) => key !== null)
  const rows = await executor.all(told(texts.firsts, json(keys.map((key) => [kind, key]))))
  const firstOf = new Map(rows as [string, number][])
  const isFirst = ([number, key]: [number, string | null]) => key === null || firstOf.get(key) === number
  const others = candidates.filter((one) => !isFirst(one))
  if (others.length > 0) {
    const heads = [...new Set(others.map(([, key]) => firstOf.get(key as string) as number))]
    const held = new Set((await executor.all(told(texts.held, json(heads)))).map(([number]) => number))
    const behind = others.filter(([, key]) => held.has(firstOf.get(key as string))).map(([number]) => number)
    await executor.run(told(texts.standBehind, json(behind)))
  }
  return candidates.filter(isFirst).map(([number]) => number)
}

/** Lost ones come first: their line waits for them. */
async function claim(texts: EffectStatements, executor: Executor, asked: ClaimRequest): Promise<ClaimedEffect[]> {
  const { kind, fromMs, withLost, nowMs, limit, holder, leaseMs, inOrder } = asked
  const lost = withLost ? await executor.all(told(texts.lost, kind, nowMs, limit)) : []
  const room = limit - lost.length
  const due = room > 0 ? await executor.all(told(texts.candidates, kind, fromMs, nowMs, room)) : []
  const found = [...lost, ...due]
  if (found.length === 0) return []
  const numbers = inOrder
    ? await takeFirsts(texts, executor, { kind, found })
    : found.map(([number]) => number as number)
  if (numbers.length === 0) return []
  const rows = await executor.all(told(texts.claim, json(numbers), holder, nowMs + leaseMs))
  return rows.map(readClaimed).toSorted((a, b) => a.number - b.number)
}

const numbersOf = (places: readonly EffectPlace[]): number[] => places.map(({ number }) => number)
const laterCells = ({ number, dueMs, error, uncounted }: RetriedEffect) => [number, dueMs, error, uncounted ? 1 : 0]

/**
 * Makes the next effect of each key the first, due from now on: claims do not look at earlier
 * times.
 */
export async function promote(
  texts: EffectStatements,
  executor: Executor,
  { ended, nowMs }: EndedEffects,
): Promise<void> {
  const lines = ended.filter(([, , key, inOrder]) => inOrder === 1 && key !== null).map(([, kind, key]) => [kind, key])
  const each = new Map(lines.map((line) => [json(line), line]))
  if (each.size > 0) await executor.run(told(texts.promote, json([...each.values()]), nowMs))
}

async function settle(texts: EffectStatements, executor: Executor, { holder, outcomes, nowMs }: OutcomeWrite) {
  const { done, later, givenUp } = outcomes
  const all: readonly EffectPlace[] = [...done, ...later, ...givenUp]
  const found = (await executor.all(told(texts.mine, json(numbersOf(all)), holder))) as unknown as MineCells[]
  // The number of one that was taken back may be that of another one now.
  const ids = new Map(all.map(({ id }) => [id, false]))
  const mine = found.filter(([, , , , id]) => ids.has(id))
  for (const [, , , , id] of mine) ids.set(id, true)
  const isMine = ({ id }: EffectPlace) => ids.get(id) === true
  const [gone, put, up] = [done.filter(isMine), later.filter(isMine), givenUp.filter(isMine)]
  if (gone.length > 0) await executor.run(told(texts.done, json(numbersOf(gone))))
  if (put.length > 0) await executor.run(told(texts.later, json(put.map(laterCells))))
  if (up.length > 0)
    await executor.run(told(texts.givenUp, json(up.map(({ number, error }) => [number, error])), nowMs))
  const over = new Set(numbersOf([...gone, ...up]))
  const ended = mine.map(([number, kind, key, inOrder]): EffectLine => [number, kind, key, inOrder])
  await promote(texts, executor, { ended: ended.filter(([number]) => over.has(number)), nowMs })
  const rest = all.filter((one) => !isMine(one))
  if (rest.length === 0) return []
  const held = await executor.all(told(texts.stillMine, json(numbersOf(rest)), holder))
  return held.map(([id]) => id as string).filter((id) => ids.has(id))
}
type MineCells = readonly [number: number, kind: string, key: string | null, inOrder: number, id: string]
type OutcomeWrite = { readonly holder: string; readonly outcomes: EffectOutcomes; readonly nowMs: number }

export function makeStoredEffects({ dialect, reads, transaction }: EffectRowsDeps): StoredEffects {
  const texts = textsOf(dialect)

  async function firstOf(statement: Statement): Promise<number | undefined> {
    return (await reads.first(statement))?.[0] as number | undefined
  }

  return {
    next: (kind, fromMs) => firstOf(told(texts.next, kind, fromMs)),
    nextLost: (kind) => firstOf(told(texts.nextLost, kind)),

    claim: (request) => transaction((executor) => claim(texts, executor, request)),

    async beat(holder, numbers, untilMs) {
      await transaction(async (executor) => executor.run(told(texts.beat, json(numbers), holder, untilMs)))
    },

    keepSteps: (holder, { number, id }, steps) =>
      transaction(async (executor) => (await executor.run(told(texts.keepSteps, number, id, holder, steps))) > 0),

    settle: (holder, outcomes, nowMs) =>
      transaction((executor) => settle(texts, executor, { holder, outcomes, nowMs })),

    async count(kind, most) {
      return (await reads.first(told(texts.count, kind, most)))?.[0] as number
    },

    async unended(kind, key, most) {
      return (await reads.first(told(texts.unended, kind, key, most)))?.[0] as number
    },

    async depths(nowMs) {
      const rows = (await reads.all(told(texts.depths, nowMs))) as [string, EffectState, number, number][]
      return rows.map(([kind, state, count, oldestMs]): EffectDepth => ({ kind, state, count, oldestMs }))
    },

    troubles: (nowMs) => readEffectTroubles(reads, nowMs),

    async list({ kind = null, state = null, after = 0, limit, nowMs }) {
      return (await reads.all(told(texts.list, nowMs, after, kind, state, limit))).map(readStored)
    },

    async findAll(idStart, nowMs) {
      return (await reads.all(told(texts.findAll, nowMs, idStart, idStart.length))).map(readStored)
    },

    retry: (numbers, nowMs) =>
      transaction(async (executor) => {
        const due = await executor.run(told(texts.due, json(numbers), nowMs))
        const up = (await executor.all(told(texts.givenUpOnes, json(numbers)))).map(([number]) => number)
        if (up.length > 0) {
          await executor.run(told(texts.again, json(up), nowMs))
          await executor.run(told(texts.done, json(up)))
        }
        return due + up.length
      }),

    hasten: (kind, keys, nowMs) =>
      transaction(async (executor) => (await executor.run(told(texts.hasten, kind, json(keys), nowMs))) > 0),

    giveUp: (numbers, error, nowMs) =>
      transaction(async (executor) => {
        const idle = (await executor.all(told(texts.idle, json(numbers), nowMs))) as unknown as EffectLine[]
        const errors = idle.map(([number, , , , before]) => [number, withCause(error, before ?? null)])
        await executor.run(told(texts.givenUp, json(errors), nowMs))
        await promote(texts, executor, { ended: idle, nowMs })
        return idle.length
      }),

    remove: (numbers) =>
      transaction(async (executor) => {
        const up = (await executor.all(told(texts.givenUpOnes, json(numbers)))).map(([number]) => number)
        return up.length === 0 ? 0 : executor.run(told(texts.done, json(up)))
      }),

    keepNewest: (kind, most) => transaction(async (executor) => executor.run(told(texts.newest, kind, most))),

    sweep: (givenUpSinceMs) =>
      transaction(async (executor) => (await executor.run(told(texts.oldGivenUp, givenUpSinceMs))) >= removedMax),
  }
}
