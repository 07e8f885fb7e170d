/**
 * Effects of declarations: a write step stores them in the transaction of the write. Each effect of
 * a resource is a kind of its own; those of one record run in order.
 */

import { jsonText } from '../base/json-text.ts'
import type { WriteStep } from '../record/stages.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { MakeOutsideCode, SystemRecords } from '../resource/code/code-context.ts'
import { type DeclaredEffect, effectKindName, type FieldChange } from '../resource/effects/declared-effect.ts'
import type { Values } from '../storage/storage.ts'
import { type EffectKind, triesOf } from './effect-kind.ts'

const timeoutSeconds = 30
const atOnce = 50

type NamedEffects = readonly (readonly [name: string, effect: DeclaredEffect])[]
type EffectPayload = { readonly record: Values; readonly previous: Values | null }

const effectsOf = ({ effects }: Resource): NamedEffects => Object.entries(effects)
const kindName = ({ name }: Resource, effect: string) => effectKindName(name, effect)

/** The stored values of a record without its secrets: operators can read waiting effects. */
function openValues({ storedNames, fields }: Resource, row: Values): Values {
  return Object.fromEntries(storedNames.filter((name) => !fields[name]?.type.secret).map((name) => [name, row[name]]))
}

function isMet({ field, from, to }: FieldChange, before: Values, row: Values): boolean {
  if (jsonText(before[field]) === jsonText(row[field])) return false
  return (from === undefined || before[field] === from) && (to === undefined || row[field] === to)
}

function stepOf(resource: Resource): WriteStep {
  const effects = effectsOf(resource)
  const follow = (word: string) => effects.filter(([, { on }]) => on.includes(word as 'create'))
  const [onCreate, onDelete] = [follow('create'), follow('delete')]
  const changes = ([, { on }]: NamedEffects[number]) => on.filter((cause) => typeof cause !== 'string')
  const onUpdate = effects.filter(([, { on }]) => on.some((cause) => cause === 'update' || typeof cause !== 'string'))
  const fields = onUpdate.some(([, { on }]) => on.includes('update'))
    ? undefined
    : onUpdate.flatMap((one) => changes(one).map(({ field }) => field))
  const left = (all: NamedEffects, record: Values, previous: Values | null = null) =>
    all.map(([name]) => {
      const payload: EffectPayload = { record: openValues(resource, record), previous }
      return { kind: kindName(resource, name), key: String(record[resource.idField]), inOrder: true, payload }
    })
  return {
    name: 'effects',
    resources: [resource],
    ...(fields && { fields }),
    ...(onCreate.length > 0 && {
      async afterCreate({ tx, rows }) {
        if (!tx.author.isQuiet) await tx.leave(...rows.flatMap((row) => left(onCreate, row)))
      },
    }),
    ...(onUpdate.length > 0 && {
      async afterUpdate({ tx, before, row }) {
        if (tx.author.isQuiet) return
        const met = onUpdate.filter(
          (one) => one[1].on.includes('update') || changes(one).some((change) => isMet(change, before, row)),
        )
        if (met.length > 0) await tx.leave(...left(met, row, openValues(resource, before)))
      },
    }),
    ...(onDelete.length > 0 && {
      async beforeDelete({ tx, rows }) {
        if (!tx.author.isQuiet) await tx.leave(...rows.flatMap((row) => left(onDelete, row)))
      },
    }),
  }
}

const withEffects = ({ resources }: Catalog) => [...resources.values()].filter((one) => effectsOf(one).length > 0)

/** Empty where no declaration has effects: writes then pay nothing. */
export function effectSteps(catalog: Catalog): WriteStep[] {
  return withEffects(catalog).map(stepOf)
}

export function declaredKinds(catalog: Catalog, makeCode: MakeOutsideCode<SystemRecords>): EffectKind[] {
  return withEffects(catalog).flatMap((resource) =>
    effectsOf(resource).map(([name, effect]): EffectKind => {
      const kind = kindName(resource, name)
      return {
        name: kind,
        async run({ id, tries, payload, origin }, { signal, step }) {
          const code = makeCode({ name: kind, signal, cause: { id, depth: origin?.depth ?? 1 } })
          const given = { ...code, ...(payload as EffectPayload), id, tries, step }
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
