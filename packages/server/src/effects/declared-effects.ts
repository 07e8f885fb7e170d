/**
 * Effects of declarations: a step leaves them with the write, and each is a kind of its own, in
 * order for a record.
 */
import type { Step } from '../record/stages.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Changed, DeclaredEffect } from '../resource/effects/declared-effect.ts'
import type { Values } from '../storage/storage.ts'
import type { EffectKind } from './effect-kind.ts'

const triesMax = 10
const timeoutSeconds = 30
const backoff = { firstMs: 10_000, factor: 3, mostMs: 6 * 60 * 60_000 }
const atOnce = 50

type Effects = readonly (readonly [name: string, effect: DeclaredEffect])[]
type Payload = { readonly record: Values; readonly previous: Values | null }

const effectsOf = ({ effects }: Resource): Effects => Object.entries(effects)
const kindName = ({ name }: Resource, effect: string) => `${name}.${effect}`

/** Its stored values, without what is secret: work that waits is read by operators. */
function openValues({ storedNames, fields }: Resource, row: Values): Values {
  return Object.fromEntries(storedNames.filter((name) => !fields[name]?.type.secret).map((name) => [name, row[name]]))
}

function isMet({ field, from, to }: Changed, before: Values, row: Values): boolean {
  if (JSON.stringify(before[field]) === JSON.stringify(row[field])) return false
  return (from === undefined || before[field] === from) && (to === undefined || row[field] === to)
}

function stepOf(resource: Resource): Step {
  const effects = effectsOf(resource)
  const follow = (word: string) => effects.filter(([, { on }]) => on.includes(word as 'create'))
  const [onCreate, onDelete] = [follow('create'), follow('delete')]
  const changes = ([, { on }]: Effects[number]) => on.filter((cause) => typeof cause !== 'string')
  const onUpdate = effects.filter(([, { on }]) => on.some((cause) => cause === 'update' || typeof cause !== 'string'))
  const fields = onUpdate.some(([, { on }]) => on.includes('update'))
    ? undefined
    : onUpdate.flatMap((one) => changes(one).map(({ field }) => field))
  const left = (all: Effects, record: Values, previous: Values | null = null) =>
    all.map(([name]) => {
      const payload: Payload = { record: openValues(resource, record), previous }
      return { kind: kindName(resource, name), key: String(record[resource.idField]), inOrder: true, payload }
    })
  return {
    name: 'effects',
    resources: [resource],
    ...(fields && { fields }),
    ...(onCreate.length > 0 && {
      afterCreate: ({ writing, rows }) => writing.leave(...rows.flatMap((row) => left(onCreate, row))),
    }),
    ...(onUpdate.length > 0 && {
      async afterUpdate({ writing, before, row }) {
        const met = onUpdate.filter(
          (one) => one[1].on.includes('update') || changes(one).some((change) => isMet(change, before, row)),
        )
        if (met.length > 0) await writing.leave(...left(met, row, openValues(resource, before)))
      },
    }),
    ...(onDelete.length > 0 && {
      beforeDelete: ({ writing, rows }) => writing.leave(...rows.flatMap((row) => left(onDelete, row))),
    }),
  }
}

const withEffects = ({ resources }: Catalog) => [...resources.values()].filter((one) => effectsOf(one).length > 0)

/** None where no declaration has effects: then no write pays for them. */
export function effectSteps(catalog: Catalog): Step[] {
  return withEffects(catalog).map(stepOf)
}

export function declaredKinds(catalog: Catalog): EffectKind[] {
  return withEffects(catalog).flatMap((resource) =>
    effectsOf(resource).map(([name, effect]): EffectKind => {
      const kind = kindName(resource, name)
      return {
        name: kind,
        async run({ id, tries, payload }, { signal }) {
          const given = { ...(payload as Payload), id, tries, signal }
          await effect.run(given as Parameters<typeof effect.run>[0])
        },
        inOrder: true,
        atOnce,
        triesMax: effect.tries ?? triesMax,
        timeoutMs: (effect.timeoutSeconds ?? timeoutSeconds) * 1000,
        backoff,
        words: { again: `The effect ${kind} failed, and is tried again`, givenUp: `The effect ${kind} is given up` },
      }
    }),
  )
}
