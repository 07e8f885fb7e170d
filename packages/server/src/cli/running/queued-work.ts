/**
 * The common parts of the commands about effects and jobs: lists in pages, ids by their beginning,
 * and the choice of those to change.
 */
import type { ConsoleAct } from '../../command/console-part.ts'
import type { makeTable } from '../../command/table.ts'
import { UsageError } from '../../command/usage-error.ts'
import { StartError } from '../../errors.ts'
import type { Engine } from '../../perform/engine.ts'
import type { WorkEvent } from '../../resource/effects/work-event.ts'
import { consoleParts } from '../../service/features.ts'
import type { CommandContext } from '../console.ts'

/** The most that one read returns. */
export const pageSize = 500

export const triedAgain = 'tried again: a running server takes them within ten seconds'

type Numbered = { readonly number: number }

/** All pages of a list that is read after a number. */
export async function* pagesOf<T extends Numbered>(
  read: (after: number) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[]> {
  for (let after = 0; ; ) {
    const page = await read(after)
    if (page.length > 0) yield page
    if (page.length < pageSize) return
    after = page.at(-1)?.number as number
  }
}

type PrintedList<T> = {
  readonly pages: AsyncIterable<readonly T[]>
  readonly table: ReturnType<typeof makeTable>
  lineOf(one: T): Readonly<Record<string, unknown>>
}

/** Prints a table for people, or lines of JSON. Returns how many there were. */
export async function printPages<T>(
  { output }: CommandContext,
  { pages, table, lineOf }: PrintedList<T>,
): Promise<number> {
  let count = 0
  for await (const page of pages) {
    const rows = page.map(lineOf)
    if (output.json) await output.write(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    else await output.write(table.print(rows, { header: count === 0 }))
    count += rows.length
  }
  return count
}

/** `found`: those whose ids begin with the text, two at most. `missing`: the sentence for none. */
export function oneOfIds<T extends { readonly id: string }>(
  id: string,
  [found, other]: readonly T[],
  missing: string,
): T {
  if (!found) throw new StartError(missing)
  if (other && found.id !== id) throw new StartError(`${id} begins more than one id: write more of it`)
  return found
}

type Chosen = { readonly ids: readonly string[]; readonly named: string | undefined; readonly all: boolean }

/** One way to choose, and no other. `option`: the one that names a kind. */
export function checkChosen({ ids, named, all }: Chosen, option: string): void {
  if (Number(ids.length > 0) + Number(named !== undefined) + Number(all) !== 1)
    throw new UsageError(`say which, by one of: their ids, ${option}, or --all`)
}

/** The work that a command changes. */
export type ChosenWork = { readonly kind: string; readonly id: string }
export type WorkAct = { readonly event: WorkEvent; readonly act: string }

/** One entry for each id that the operator named, or one for each kind. */
function actsOn(work: readonly ChosenWork[], { event, act }: WorkAct, areNamed: boolean): readonly ConsoleAct[] {
  if (areNamed) return work.map(({ kind, id }) => ({ event, details: { act, kind, effect: id } }))
  return [...Map.groupBy(work, ({ kind }) => kind)].map(([kind, some]) => ({
    event,
    details: { act, kind, count: some.length },
  }))
}

/** Records the act of the operator, before it is done. `areNamed`: by their ids. */
export async function noteWork(
  engine: Engine,
  work: readonly ChosenWork[],
  { areNamed, ...act }: WorkAct & { readonly areNamed: boolean },
): Promise<void> {
  if (work.length === 0) return
  for (const part of consoleParts) await part.noteActs(engine, actsOn(work, act, areNamed))
}

/** A value of `--state`. */
export function stateAmong<S extends string>(states: readonly S[], state: string | undefined): S | undefined {
  if (state === undefined || states.includes(state as S)) return state as S | undefined
  throw new UsageError(`--state is one of ${states.join(', ')}, not ${state}`)
}
