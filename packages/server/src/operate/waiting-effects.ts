/** The work that writes have left, such as mails: counted, listed, tried again, given up. */
import { timestampOf } from '../base/clock.ts'
import { defineRoute } from '../endpoint/define-route.ts'
import { documentedResponse } from '../endpoint/documented-response.ts'
import { ApiError } from '../errors.ts'
import { effectActOf } from '../record/jobs/work-acts.ts'
import { declaredWorkKinds } from '../resource/effects/work-kinds.ts'
import { choice } from '../resource/fields/choice.ts'
import { integer } from '../resource/fields/numbers/integer.ts'
import { text } from '../resource/fields/text.ts'
import { type EffectState, effectStates, type StoredEffect } from '../storage/stored-effects.ts'
import {
  nextAfter,
  type OperateRouteDeps,
  operatePath,
  operateWords,
  pageSize,
  readByOperator,
} from './operate-words.ts'

/** All but its payload, which may contain personal data. */
function shown({ number, id, kind, key, state, tries, leftMs, dueMs, error }: StoredEffect) {
  return { number, id, kind, key, state, tries, leftAt: timestampOf(leftMs), dueAt: timestampOf(dueMs), error }
}

export const effectQuery = {
  kind: text({ maxLength: 200, description: 'For `effects`: one kind.' }),
  state: choice(effectStates, { description: 'For `effects`: one state.' }),
  after: integer({ min: 0, description: 'For `effects`: the number of the last one of the page before.' }),
}

type EffectFilter = {
  readonly kind: string | null
  readonly state: EffectState | null
  readonly after: number | null
}

/** A page of them in the order in which they were left, with the counts of each kind and state. */
export async function readEffects(
  { engine: { catalog, storage, clock } }: OperateRouteDeps,
  { kind, state, after }: EffectFilter,
) {
  const nowMs = clock()
  const asked = { kind: kind ?? undefined, state: state ?? undefined, after: after ?? 0, limit: pageSize, nowMs }
  const [counts, found] = await Promise.all([storage.effects.depths(nowMs), storage.effects.list(asked)])
  return {
    kinds: [...new Set([...declaredWorkKinds(catalog), ...counts.map((one) => one.kind)])].toSorted(),
    counts: counts.map(({ oldestMs, ...one }) => ({ ...one, oldestAt: timestampOf(oldestMs) })),
    effects: found.map(shown),
    next: nextAfter(found),
  }
}

export const changeEffect = defineRoute({
  method: 'POST',
  path: operatePath('effects/:id/:act'),
  describe: operateWords(
    'changeEffect',
    'Try work again, or give it up',
    '`retry`: it is due now; work that was given up goes to the end of its line. `give-up`: it is tried no more, and stays.',
  ),
  rule: readByOperator.rule,
  limits: { rate: 'write' },
  parameters: {
    id: text({ required: true, maxLength: 100, description: 'The id of the work.' }),
    act: text({ required: true, maxLength: 10, description: '`retry` or `give-up`.' }),
  },
  output: { 204: documentedResponse('It is done.') },
  errors: [...readByOperator.errors, 'not-found', 'conflict'],
  async run(call, { engine, note }: OperateRouteDeps) {
    const { id, act } = call.parameters
    const asked = effectActOf(act)
    const found = (await engine.storage.effects.findAll(id, engine.clock())).find((one) => one.id === id)
    if (!asked || !found) throw new ApiError('not-found', 'There is no such work: it is done, or was removed')
    await note(call, asked.event, { act, kind: found.kind, effect: found.id })
    if ((await asked.act(engine, [found.number])) === 0)
      throw new ApiError('conflict', 'It is running: wait until it has ended')
    return { status: 204 }
  },
})
