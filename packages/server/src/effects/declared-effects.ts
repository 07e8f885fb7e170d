/**
 * Effects of declarations: a write step stores them in the transaction of the write. Each effect of
 * a resource is a kind of its own; those of one record run in order.
 */

import { jsonText } from '../base/json-text.ts'
import { isTrusted } from '../record/author.ts'
import { openValues } from '../record/declared/shown-values.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import { codeTenantsOf } from '../record/references/code-tenants-of.ts'
import type { WriteStep } from '../record/stages.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import { type KnownCaller, knownCaller } from '../resource/code/acting-caller.ts'
import type { MakeOutsideCode, SystemRecords } from '../resource/code/code-context.ts'
import { equal, type Scalar } from '../resource/condition.ts'
import { type DeclaredEffect, effectKindName, type FieldChange } from '../resource/effects/declared-effect.ts'
import { serviceAuthor } from '../storage/changes.ts'
import type { Reader, Values } from '../storage/storage.ts'
import type { EffectOrigin } from '../storage/stored-effects.ts'
import { type EffectKind, triesOf } from './effect-kind.ts'
import { storedTenants } from './effect-tenants.ts'
import { leaveTimed, moveTimed, type TimedPayload, takeBackTimed, timedEffectsOf } from './timed-effects.ts'

const timeoutSeconds = 30
const atOnce = 50

type NamedEffects = readonly (readonly [name: string, effect: DeclaredEffect])[]
/** `tenant`: of a record that others lead to its tenant; they may be gone when the effect runs. */
type EffectPayload = {
  readonly record: Values
  readonly previous: Values | null
  readonly tenant?: Scalar | null
}

const effectsOf = ({ effects }: Resource): NamedEffects => Object.entries(effects)
const kindName = ({ name }: Resource, effect: string) => effectKindName(name, effect)

function isMet({ field, from, to }: FieldChange, before: Values, row: Values): boolean {
  if (jsonText(before[field]) === jsonText(row[field])) return false
  return (from === undefined || before[field] === from) && (to === undefined || row[field] === to)
}

type LeavingRow = { readonly row: Values; readonly previous?: Values }
const rowsLeft = (rows: readonly Values[]): LeavingRow[] => rows.map((row) => ({ row }))

type CausedEffect = readonly [name: string, causes: NonNullable<DeclaredEffect['on']>]

function stepOf(resource: Resource): WriteStep {
  const effects = effectsOf(resource).map(([name, { on = [] }]): CausedEffect => [name, on])
  const timed = timedEffectsOf(resource)
  const follow = (word: string) => effects.filter(([, on]) => on.includes(word as 'create'))
  const [onCreate, onDelete] = [follow('create'), follow('delete')]
  const changes = ([, on]: CausedEffect) => on.filter((cause) => typeof cause !== 'string')
  const onUpdate = effects.filter(([, on]) => on.some((cause) => cause === 'update' || typeof cause !== 'string'))
  const changed = onUpdate.flatMap((one) => changes(one).map(({ field }) => field))
  const fields = onUpdate.some(([, on]) => on.includes('update'))
    ? undefined
    : [...changed, ...timed.map(({ moment }) => moment.field)]
  async function leave(tx: RecordTransaction, all: readonly CausedEffect[], left: readonly LeavingRow[]) {
    if (all.length === 0) return
    const rows = left.map(({ row }) => row)
    const tenants = await storedTenants(tx, resource, rows)
    const requests = left.flatMap(({ row, previous = null }, at) => {
      const tenant = tenants && { tenant: tenants[at] ?? null }
      const payload: EffectPayload = { record: openValues(resource, row), previous, ...tenant }
      const key = String(row[resource.idField])
      return all.map(([name]) => ({ kind: kindName(resource, name), key, inOrder: true, payload }))
    })
    await tx.leave(...requests)
  }
  const hasTimed = timed.length > 0
  return {
    name: 'effects',
    resources: [resource],
    ...(fields && { fields }),
    ...((onCreate.length > 0 || hasTimed) && {
      async afterCreate({ tx, rows }) {
        if (!tx.author.isQuiet) await leave(tx, onCreate, rowsLeft(rows))
        if (hasTimed) await leaveTimed({ tx, resource, timed }, rows)
      },
    }),
    ...((onUpdate.length > 0 || hasTimed) && {
      async afterUpdate({ tx, before, row }) {
        if (hasTimed) await moveTimed({ tx, resource, timed }, before, row)
        if (tx.author.isQuiet) return
        const met = onUpdate.filter(
          (one) => one[1].includes('update') || changes(one).some((change) => isMet(change, before, row)),
        )
        await leave(tx, met, [{ row, previous: openValues(resource, before) }])
      },
    }),
    ...((onDelete.length > 0 || hasTimed) && {
      async beforeDelete({ tx, rows }) {
        if (hasTimed) await takeBackTimed({ tx, resource, timed }, rows)
        if (!tx.author.isQuiet) await leave(tx, onDelete, rowsLeft(rows))
      },
    }),
  }
}

const withEffects = ({ resources }: Catalog) => [...resources.values()].filter((one) => effectsOf(one).length > 0)

/** Empty where no declaration has effects: writes then pay nothing. */
export function effectSteps(catalog: Catalog): WriteStep[] {
  return withEffects(catalog).map(stepOf)
}

/** Effects of an earlier version do not know their author: they act for the service. */
function authorIn(origin: EffectOrigin | null): KnownCaller {
  const { userId, role, credential, tenant } = origin ?? serviceAuthor
  const facts = { userId, role, isTrusted: isTrusted({ credential }) }
  return knownCaller(facts, { userId, credential, tenant })
}

type DeclaredKindsDeps = {
  readonly makeCode: MakeOutsideCode<SystemRecords>
  readonly storage: Pick<Reader, 'find'>
}

/** The values that the code is given; undefined for a moment that a record no longer has. */
async function valuesFor(
  { find }: Pick<Reader, 'find'>,
  resource: Resource,
  { effect, payload }: GivenEffect,
): Promise<EffectPayload | undefined> {
  if (!effect.at) return payload as EffectPayload
  const { id, value } = payload as TimedPayload
  const found = await find(resource, equal(resource.idField, id))
  if (found?.row[effect.at.field] !== value) return undefined
  return { record: openValues(resource, found.row), previous: null }
}
type GivenEffect = { readonly effect: DeclaredEffect; readonly payload: unknown }

export function declaredKinds(catalog: Catalog, { makeCode, storage }: DeclaredKindsDeps): EffectKind[] {
  return withEffects(catalog).flatMap((resource) =>
    effectsOf(resource).map(([name, effect]): EffectKind => {
      const kind = kindName(resource, name)
      return {
        name: kind,
        async run({ id, tries, payload, origin }, { signal, step }) {
          const values = await valuesFor(storage, resource, { effect, payload })
          if (!values) return
          // A feature may have left further facts beside the record.
          const { record, previous, tenant, ...facts } = values
          const context = { catalog, author: { tenant: origin?.tenant }, bounds: undefined, transaction: storage }
          const tenants = codeTenantsOf(context, { resource, row: record, tenant })
          const code = makeCode({ name: kind, signal, cause: { id, depth: origin?.depth ?? 1 }, tenants })
          const given = { ...code, ...facts, record, previous, author: authorIn(origin), id, tries, step }
          await effect.run(given as Parameters<typeof effect.run>[0])
        },
        inOrder: true,
        atOnce,
        ...triesOf(effect.retries),
        timeoutMs: (effect.timeoutSeconds ?? timeoutSeconds) * 1000,
        words: { again: `The effect ${kind} failed, and is tried again`, givenUp: `The effect ${kind} is given up` },
      }
    }),
  )
}
