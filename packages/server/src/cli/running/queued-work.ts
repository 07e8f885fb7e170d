/**
 * The common parts of the commands about effects and jobs: lists in pages, ids by their beginning,
 * the choice of those to change. They print all that these commands say.
 */
import type { ConsoleAct } from '../../command/console-part.ts'
import { type makeTable, printRecord } from '../../command/table.ts'
import { UsageError } from '../../command/usage-error.ts'
import { StartError } from '../../errors.ts'
import type { Engine } from '../../perform/engine.ts'
import type { WorkEvent } from '../../resource/effects/work-event.ts'
import { consoleParts } from '../../service/features.ts'
import { type CommandContext, withEngine } from '../console.ts'

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

const counted = (count: number, noun: string) => `${count} ${count === 1 ? noun : `${noun}s`}`

type PrintedList<T> = {
  /** `job` */
  readonly noun: string
  readonly pages: AsyncIterable<readonly T[]>
  readonly table: ReturnType<typeof makeTable>
  lineOf(one: T): Readonly<Record<string, unknown>>
}

/** Prints a table for people, or lines of JSON, and notes how many there were. */
export async function printPages<T>(
  { output }: CommandContext,
  { noun, pages, table, lineOf }: PrintedList<T>,
): Promise<void> {
  let count = 0
  for await (const page of pages) {
    const rows = page.map(lineOf)
    if (output.json) await output.write(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    else await output.write(table.print(rows, { header: count === 0 }))
    count += rows.length
  }
  output.note(counted(count, noun))
}

export async function printOne({ output }: CommandContext, shown: Readonly<Record<string, unknown>>): Promise<void> {
  await (output.json ? output.value(shown) : output.write(printRecord(shown)))
}

/** `what`: `job sendAll`. `known`: the names that there are. */
export function unknownName(what: string, known: readonly string[]): UsageError {
  return new UsageError(
    `unknown ${what}; ${known.length === 0 ? 'there is none here' : `there are ${known.join(', ')}`}`,
  )
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
function checkChosen({ ids, named, all }: Chosen, option: string): void {
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

type WorkChange = {
  readonly chosen: Chosen
  readonly option: string
  readonly noun: string
  /** Says what was done, after the number. */
  readonly done: string
  /** Returns how many there were. */
  change(engine: Engine): Promise<number>
}

export async function changeWork(
  cli: CommandContext,
  { chosen, option, noun, done, change }: WorkChange,
): Promise<void> {
  checkChosen(chosen, option)
  const count = await withEngine(cli, change)
  if (cli.output.json) return cli.output.value({ count })
  await cli.output.write(`${counted(count, noun)} ${done}.\n`)
}

/** A value of `--state`. */
export function stateAmong<S extends string>(states: readonly S[], state: string | undefined): S | undefined {
  if (state === undefined || states.includes(state as S)) return state as S | undefined
  throw new UsageError(`--state is one of ${states.join(', ')}, not ${state}`)
}
