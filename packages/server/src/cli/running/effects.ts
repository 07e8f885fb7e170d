/**
 * `bindery effects`: lists background work that writes have queued, such as mails, by its state.
 * The operator retries it or gives it up.
 */
import type { Command } from 'commander'
import { timestampOf } from '../../base/clock.ts'
import { makeTable, printRecord } from '../../command/table.ts'
import { UsageError } from '../../command/usage-error.ts'
import type { Engine } from '../../perform/engine.ts'
import { type EffectAct, effectActs } from '../../record/jobs/work-acts.ts'
import { declaredWorkKinds } from '../../resource/effects/work-kinds.ts'
import { consoleParts, sayings } from '../../service/features.ts'
import { type EffectState, effectStates, type StoredEffect } from '../../storage/stored-effects.ts'
import { type CommandContext, withEngine } from '../console.ts'
import {
  checkChosen,
  noteWork,
  oneOfIds,
  pageSize,
  pagesOf,
  printPages,
  stateAmong,
  triedAgain,
  type WorkAct,
} from './queued-work.ts'

type EffectFilter = { readonly kind?: string; readonly state?: string }
type EffectChoice = EffectFilter & { readonly all?: boolean }

const stateOf = (state: string | undefined) => stateAmong(effectStates, state)

/** Those that this version runs, and those of which any are there. */
async function kindsOf({ catalog, storage, clock }: Engine): Promise<ReadonlySet<string>> {
  const ofFeatures = (await Promise.all(consoleParts.map((part) => part.leftKinds(catalog)))).flat()
  const stored = (await storage.effects.depths(clock())).map(({ kind }) => kind)
  return new Set([...ofFeatures, ...declaredWorkKinds(catalog), ...stored].toSorted())
}

async function checkKind(engine: Engine, { kind }: EffectFilter): Promise<void> {
  if (kind === undefined) return
  const kinds = await kindsOf(engine)
  if (kinds.has(kind)) return
  const known = kinds.size === 0 ? 'there is none here' : `there are ${[...kinds].join(', ')}`
  throw new UsageError(`unknown kind of effects ${kind}; ${known}`)
}

/** The columns of lists: everything but the payload, which may contain personal data. */
function lineOf({ id, kind, key, state, tries, leftMs, dueMs, error }: StoredEffect) {
  return { id, kind, key, state, tries, leftAt: timestampOf(leftMs), dueAt: timestampOf(dueMs), error }
}

function effectsOf({ storage, clock }: Engine, { kind, state }: EffectFilter): AsyncGenerator<readonly StoredEffect[]> {
  const query = { kind, state: stateOf(state), limit: pageSize, nowMs: clock() }
  return pagesOf((after) => storage.effects.list({ ...query, after }))
}

async function list(cli: CommandContext, which: EffectFilter): Promise<void> {
  stateOf(which.state)
  await withEngine(cli, async (engine) => {
    await checkKind(engine, which)
    const table = makeTable(['id', 'kind', 'key', 'state', 'tries', 'dueAt', 'error'])
    const count = await printPages(cli, { pages: effectsOf(engine, which), table, lineOf })
    cli.output.note(`${count} ${count === 1 ? 'effect' : 'effects'}`)
  })
}

async function getEffect({ storage, clock }: Engine, id: string): Promise<StoredEffect> {
  const found = await storage.effects.findAll(id, clock())
  return oneOfIds(id, found, `There is no effect ${id}: it is done, was removed, or never was`)
}

/** Those that are there, as values. */
function partsOf(texts: Readonly<Record<string, string | null>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(texts).flatMap(([name, text]) => (text ? [[name, JSON.parse(text)]] : [])))
}

async function show(cli: CommandContext, id: string): Promise<void> {
  await withEngine(cli, async (engine) => {
    const found = await getEffect(engine, id)
    const { payload, context, steps } = found
    const shown = { ...lineOf(found), payload: JSON.parse(payload), ...partsOf({ context, steps }) }
    if (cli.output.json) await cli.output.value(shown)
    else await cli.output.write(printRecord(shown))
  })
}

type ChosenEffect = Pick<StoredEffect, 'number' | 'kind' | 'id'>
const chosenOf = ({ number, kind, id }: StoredEffect): ChosenEffect => ({ number, kind, id })

/** The effects with these ids, or all of a kind and a state. */
async function chosenEffects(
  engine: Engine,
  ids: readonly string[],
  { kind, state, all = false }: EffectChoice,
): Promise<readonly ChosenEffect[]> {
  if (ids.length > 0) return (await Promise.all(ids.map((id) => getEffect(engine, id)))).map(chosenOf)
  const chosen: ChosenEffect[] = []
  for await (const page of effectsOf(engine, { kind: all ? undefined : kind, state } as EffectFilter))
    chosen.push(...page.map(chosenOf))
  return chosen
}

type EffectCommand = WorkAct & {
  readonly ids: readonly string[]
  readonly chosen: EffectChoice
  /** Says what was done, after the number. */
  readonly done: string
  readonly change: EffectAct['act']
}

async function changeEffects(
  cli: CommandContext,
  { ids, chosen, done, change, ...noted }: EffectCommand,
): Promise<void> {
  const { kind, all = false } = chosen
  checkChosen({ ids, named: kind, all }, '--kind')
  const count = await withEngine(cli, async (engine) => {
    await checkKind(engine, chosen)
    const found = await chosenEffects(engine, ids, chosen)
    await noteWork(engine, found, { ...noted, areNamed: ids.length > 0 })
    return change(
      engine,
      found.map(({ number }) => number),
    )
  })
  if (cli.output.json) return cli.output.value({ count })
  await cli.output.write(`${count} ${count === 1 ? 'effect' : 'effects'} ${done}.\n`)
}

export function addEffects(program: Command, cli: CommandContext): void {
  const effects = program
    .command('effects')
    .description(`the work that writes have left, such as ${sayings('leftWork')}`)
  effects
    .command('list')
    .description('what waits, runs and was given up, in the order in which it was left')
    .option('--kind <name>', `of one kind, such as ${sayings('leftKind')}`)
    .option('--state <state>', effectStates.join(', '))
    .addHelpText(
      'after',
      '\nbehind: an older one of its key comes first. lost: its process ended before it did, and another one takes it.\n\nExamples:\n  $ bindery effects list --state given-up\n  $ bindery effects list --json | jq -r .kind | sort | uniq -c',
    )
    .action((which: EffectFilter) => list(cli, which))
  effects
    .command('show <id>')
    .description('one of them, with what it is given; the beginning of its id is enough')
    .action((id: string) => show(cli, id))
  const changing = (
    name: string,
    about: string,
    { event, act, done, state }: EffectAct & { readonly done: string; readonly state?: EffectState },
  ) =>
    effects
      .command(`${name} [ids...]`)
      .description(about)
      .option('--kind <name>', 'all of one kind')
      .option('--all', 'all of every kind')
      .action((ids: string[], chosen: EffectChoice) =>
        changeEffects(cli, { ids, chosen: { ...chosen, state }, done, event, act: name, change: act }),
      )
  changing('retry', 'try those given up once more, at the end of their line; one that waits is tried now', {
    ...effectActs.retry,
    state: 'given-up',
    done: triedAgain,
  })
  changing('give-up', 'try those no more that wait: they stay until they are tried again or removed', {
    ...effectActs['give-up'],
    done: 'given up',
  })
  changing('remove', 'remove those given up', {
    state: 'given-up',
    event: 'effect-given-up',
    done: 'removed',
    act: ({ storage }, numbers) => storage.effects.remove(numbers),
  })
}
