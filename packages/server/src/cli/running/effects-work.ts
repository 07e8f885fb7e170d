/**
 * The work of `bindery effects`: lists effects by their states, and retries, gives up or removes
 * them.
 */
import { timestampOf } from '../../base/clock.ts'
import { makeTable } from '../../command/table.ts'
import type { Engine } from '../../perform/engine.ts'
import { type EffectAct, effectActs } from '../../record/jobs/work-acts.ts'
import { declaredWorkKinds } from '../../resource/effects/work-kinds.ts'
import { consoleParts } from '../../service/features.ts'
import { type EffectState, effectStates, type StoredEffect } from '../../storage/stored-effects.ts'
import { type CommandContext, withEngine } from '../console.ts'
import {
  changeWork,
  noteWork,
  oneOfIds,
  pageSize,
  pagesOf,
  printOne,
  printPages,
  stateAmong,
  triedAgain,
  unknownName,
} from './queued-work.ts'

export type EffectFilter = { readonly kind?: string; readonly state?: string }
export type EffectChoice = EffectFilter & { readonly all?: boolean }

const noun = 'effect'

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
  if (!kinds.has(kind)) throw unknownName(`kind of effects ${kind}`, [...kinds])
}

/** The columns of lists: everything but the payload, which may contain personal data. */
function lineOf({ id, kind, key, state, tries, leftMs, dueMs, error }: StoredEffect) {
  return { id, kind, key, state, tries, leftAt: timestampOf(leftMs), dueAt: timestampOf(dueMs), error }
}

function effectsOf({ storage, clock }: Engine, { kind, state }: EffectFilter): AsyncGenerator<readonly StoredEffect[]> {
  const query = { kind, state: stateOf(state), limit: pageSize, nowMs: clock() }
  return pagesOf((after) => storage.effects.list({ ...query, after }))
}

export async function listEffects(cli: CommandContext, which: EffectFilter): Promise<void> {
  stateOf(which.state)
  await withEngine(cli, async (engine) => {
    await checkKind(engine, which)
    const table = makeTable(['id', 'kind', 'key', 'state', 'tries', 'dueAt', 'error'])
    await printPages(cli, { noun, pages: effectsOf(engine, which), table, lineOf })
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

export async function showEffect(cli: CommandContext, id: string): Promise<void> {
  await withEngine(cli, async (engine) => {
    const found = await getEffect(engine, id)
    const { payload, context, steps } = found
    await printOne(cli, { ...lineOf(found), payload: JSON.parse(payload), ...partsOf({ context, steps }) })
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

type EffectCommand = EffectAct & {
  /** Those that it is about, where it is not every one. */
  readonly state?: EffectState
  /** Says what was done, after the number. */
  readonly done: string
}

export type EffectCommandName = 'retry' | 'give-up' | 'remove'
const commands: Readonly<Record<EffectCommandName, EffectCommand>> = {
  retry: { ...effectActs.retry, state: 'given-up', done: triedAgain },
  'give-up': { ...effectActs['give-up'], done: 'given up' },
  remove: {
    event: 'effect-given-up',
    act: ({ storage }, numbers) => storage.effects.remove(numbers),
    state: 'given-up',
    done: 'removed',
  },
}

type ChangedEffects = {
  readonly name: EffectCommandName
  readonly ids: readonly string[]
  readonly chosen: Omit<EffectChoice, 'state'>
}

export async function changeEffects(cli: CommandContext, { name, ids, chosen }: ChangedEffects): Promise<void> {
  const { kind, all = false } = chosen
  const { event, act, state, done } = commands[name]
  async function change(engine: Engine): Promise<number> {
    await checkKind(engine, chosen)
    const found = await chosenEffects(engine, ids, state ? { ...chosen, state } : chosen)
    await noteWork(engine, found, { event, act: name, areNamed: ids.length > 0 })
    return act(
      engine,
      found.map(({ number }) => number),
    )
  }
  await changeWork(cli, { chosen: { ids, named: kind, all }, option: '--kind', noun, done, change })
}
