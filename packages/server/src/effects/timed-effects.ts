/**
 * Effects that are due at a moment of their record. A write leaves one, moves it when the field
 * changes, and takes it back with the record. The code is given the record of that moment.
 */
import type { RecordTransaction } from '../record/record-store.ts'
import type { Resource } from '../resource/catalog.ts'
import { type DeclaredEffect, effectKindName } from '../resource/effects/declared-effect.ts'
import { dueAt, type EffectMoment } from '../resource/effects/effect-moment.ts'
import type { Row, Values } from '../storage/storage.ts'

/** `value`: that of the field when it was left. Another one by now has moved it. */
export type TimedPayload = { readonly id: string | number; readonly value: string }
export type TimedEffect = { readonly kind: string; readonly moment: EffectMoment }

export function timedEffectsOf({ name, effects }: Resource): readonly TimedEffect[] {
  return Object.entries(effects).flatMap(([effect, { at }]: [string, DeclaredEffect]) =>
    at ? [{ kind: effectKindName(name, effect), moment: at }] : [],
  )
}

type Timing = { readonly tx: RecordTransaction; readonly resource: Resource; readonly timed: readonly TimedEffect[] }

export async function leaveTimed({ tx, resource, timed }: Timing, rows: readonly Values[]): Promise<void> {
  const nowMs = Date.parse(tx.defaults.now)
  const left = timed.flatMap(({ kind, moment }) =>
    rows.flatMap((row) => {
      const [id, value] = [row[resource.idField], row[moment.field]]
      const dueMs = dueAt(moment, value, nowMs)
      const what = { kind, key: String(id), inOrder: true, beginsChain: true, payload: { id, value } }
      return dueMs === undefined ? [] : [{ ...what, dueMs }]
    }),
  )
  await tx.leave(...left)
}

export async function takeBackTimed({ tx, resource, timed }: Timing, rows: readonly Values[]): Promise<void> {
  for (const { kind, moment } of timed)
    for (const row of rows)
      if (row[moment.field] !== null) await tx.takeBackEffects(kind, String(row[resource.idField]))
}

/** `row`: the same record after its change. */
export async function moveTimed(timing: Timing, before: Row, row: Values): Promise<void> {
  const moved = timing.timed.filter(({ moment }) => before[moment.field] !== row[moment.field])
  if (moved.length === 0) return
  await takeBackTimed({ ...timing, timed: moved }, [before])
  await leaveTimed({ ...timing, timed: moved }, [row])
}
