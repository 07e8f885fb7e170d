/**
 * Resources of a clubhouse whose actions, hooks and effects ask what a request says: by a method of
 * `records(things)` and its arguments. They tell the answers, and the errors.
 */
import {
  anyone,
  changed,
  choice,
  type DeclaredResource,
  defineAction,
  defineResource,
  id,
  json,
  type OutsideCode,
  reference,
  type SystemRecords,
} from '../../src/index.ts'
import { isTenancy } from '../../src/resource/tenancy/define-tenancy.ts'
import { closedClubhouse } from './closed-clubhouse.ts'

export type Query = { readonly of: string; readonly method: string; readonly given: readonly unknown[] }

type AnyMethods = Readonly<Record<string, (...given: readonly unknown[]) => unknown>>
type AnyRecords = (resource: never) => AnyMethods

async function answerOf(own: AnyMethods | undefined, { method, given }: Query): Promise<unknown> {
  const found = own?.[method]?.(...given)
  if (method !== 'each') return found
  const all: unknown[] = []
  for await (const one of found as AsyncIterable<unknown>) all.push(one)
  return all
}

/** The outcome of each query, as JSON. `{mark}` in a text makes it the only one of its value. */
async function answersTo(records: AnyRecords, asked: unknown, mark: string): Promise<never> {
  const outcomes: unknown[] = []
  for (const [i, one] of ((asked ?? []) as readonly Query[]).entries()) {
    const query: Query = JSON.parse(JSON.stringify(one).replaceAll('{mark}', `${mark} ${i}`))
    const named = asking.find((one) => 'fields' in one && one.name === query.of)
    try {
      outcomes.push({ ...query, found: await answerOf(named && records(named as never), query) })
    } catch (error) {
      outcomes.push({ ...query, code: (error as { code?: string }).code ?? null, message: (error as Error).message })
    }
  }
  // Answers that hold earlier ones would grow.
  const isHeard = (name: string) => name === 'asked' || name === 'heard'
  return JSON.parse(JSON.stringify(outcomes, (name, one) => (isHeard(name) ? undefined : one))) as never
}

const own = { id: id(), place: choice(['ACTION', 'HOOK', 'EFFECT', 'SYSTEM', 'REFUSE']), asked: json(), heard: json() }

type HookGiven = {
  readonly record: { readonly id: string; readonly place: string | null; readonly asked: unknown }
  readonly records: SystemRecords
  readonly refuse: (sentence: string) => never
  readonly now: string
}
type EffectGiven = Pick<HookGiven, 'record' | 'records'> & Pick<OutsideCode<SystemRecords>, 'transaction' | 'now'>

function askingResource<F extends typeof own>(name: string, fields: F, tenant?: string): DeclaredResource<F> {
  const ask = defineAction(fields as typeof own, {
    input: { asked: json() },
    output: { heard: json() },
    run: async ({ records, input, now }) => ({ heard: await answersTo(records as never, input.asked, now) }),
  })
  const hear = async ({ record: { place, asked }, records, refuse, now }: HookGiven) => {
    if (place === 'REFUSE') return refuse(JSON.stringify(await answersTo(records as never, asked, now)))
    if (place === 'HOOK') return { heard: await answersTo(records as never, asked, now) } as never
    if (place === 'SYSTEM') return { heard: await answersTo(records.system as never, asked, now) } as never
    return undefined
  }
  const resource: DeclaredResource<F> = defineResource({
    name,
    path: `/${name}s`,
    ...(tenant !== undefined && { tenant }),
    fields,
    list: { style: 'page' },
    access: { get: anyone, list: anyone, create: anyone, update: anyone, ask: anyone },
    actions: { ask },
    hooks: {
      beforeCreate: hear,
      beforeUpdate: hear,
    },
    effects: {
      hear: {
        on: [changed('asked'), 'create'],
        async run({ record: { id: key, place, asked }, records, transaction, now }: EffectGiven) {
          if (place !== 'EFFECT') return
          const outside = await answersTo(records as never, asked, `${now} outside`)
          const inside = await transaction((tx) => answersTo(tx.records as never, asked, `${now} inside`))
          const changes = { place: null, heard: { outside, inside } }
          await records.quiet(resource).update(key as never, changes as never)
        },
      },
    },
  } as never)
  return resource
}

export const desks = askingResource(
  'desk',
  { ...own, clubId: reference('club', { onDelete: 'delete' }) } as never,
  'clubId',
)
export const papers = askingResource(
  'paper',
  { ...own, deskId: reference('desk', { required: true, onDelete: 'delete' }) } as never,
  'deskId',
)
/** It belongs to no tenant: a request may name one. */
export const memos = askingResource('memo', { ...own, noticeId: reference('notice', { onDelete: 'clear' }) } as never)

export const asking = [...closedClubhouse, desks, papers, memos]
export const askedResources = asking.flatMap((one) => ('fields' in one && !isTenancy(one) ? [one.name] : []))
