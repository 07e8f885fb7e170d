/**
 * One read budget for all parts of a request: the operations of a batch or the fields of a GraphQL
 * document. Each part has limits of its own, and a hundred parts would multiply them. The budget
 * counts records and characters, and yields to other requests between reads.
 */
import { ApiError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { ReadStorage } from '../../storage/storage.ts'
import { nonRecordMethods, wrapStorage } from '../../storage/wrap-storage.ts'
import { makeYieldWhenLong } from '../imports/yield-when-long.ts'

export type ReadAmount = { readonly records: number; readonly characters: number }

export type ReadBudget = {
  /**
   * Counts what an answer has. Throws `bad-request` where all parts together have too much, or the
   * time is over.
   */
  show(amount: ReadAmount): void
  /**
   * Waits for the next turn of the event loop where this one has lasted long. Throws as `show`
   * does.
   */
  step(): Promise<void>
  /** The same reads, counted. */
  counting(storage: ReadStorage): ReadStorage
}

/** `asked`: the request in a sentence, as in `The batch`; `advice`: how it asks for less. */
type BudgetTexts = { readonly asked: string; readonly advice: string }

/** They cost nothing, or are no reads of the parts of a request. */
const uncounted = { ...nonRecordMethods, knownTotal: true, walk: true, by: true, urgent: true } as const

/** Texts alone: they are what a record's size hangs on. */
function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let characters = 0
  for (const part of Object.values(value)) if (typeof part !== 'number') characters += charactersOf(part)
  return characters
}

export function makeReadBudget({ asked, advice }: BudgetTexts): ReadBudget {
  const { recordsMax, charactersMax, msMax } = limits.together
  const untilMs = performance.now() + msMax
  const yieldWhenLong = makeYieldWhenLong()
  const read = { records: 0, characters: 0 }
  const shown = { records: 0, characters: 0 }

  function refuse(what: string): never {
    throw new ApiError('bad-request', `${asked} ${what}; ${advice}`)
  }
  function add(to: { records: number; characters: number }, { records, characters }: ReadAmount): void {
    to.records += records
    to.characters += characters
    if (to.records > recordsMax) refuse(`reads more than ${recordsMax} records`)
    if (to.characters > charactersMax) refuse(`reads more than ${charactersMax} characters`)
    if (performance.now() > untilMs) refuse(`takes longer than ${msMax / 1000} seconds`)
  }
  async function step(): Promise<void> {
    await yieldWhenLong()
    add(read, { records: 0, characters: 0 })
  }
  async function counted<R extends readonly object[]>(rows: R): Promise<R> {
    add(read, { records: rows.length, characters: charactersOf(rows) })
    await yieldWhenLong()
    return rows
  }
  return {
    show: (amount) => add(shown, amount),
    step,
    counting: (storage) =>
      wrapStorage(
        storage,
        {
          async find(resource, where, test) {
            const found = await storage.find(resource, where, test)
            await counted(found ? [found] : [])
            return found
          },
          list: async (resource, request) => counted(await storage.list(resource, request)),
          listEach: async (resource, request) => counted(await storage.listEach(resource, request)),
          async testEach(resource, request) {
            const tested = await storage.testEach(resource, request)
            await step()
            return tested
          },
          async count(resource, where) {
            const count = await storage.count(resource, where)
            await step()
            return count
          },
          async page(resource, request) {
            const page = await storage.page(resource, request)
            await counted(page.rows)
            return page
          },
          async summarize(resource, request) {
            const groups = await storage.summarize(resource, request)
            add(read, { records: groups.length, characters: 0 })
            await step()
            return groups
          },
        },
        uncounted,
      ),
  }
}
