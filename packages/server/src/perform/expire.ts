/**
 * Changes records that have waited too long in a state. The transition is the same as if a caller
 * had requested it.
 */
import { timestampOf } from '../base/clock.ts'
import { useDefault } from '../operation/body.ts'
import type { Resource } from '../resource/catalog.ts'
import { knownCaller } from '../resource/code/acting-caller.ts'
import { all, type Condition, equal, type Scalar } from '../resource/condition.ts'
import type { Field } from '../resource/fields/field.ts'
import { serviceAuthor } from '../storage/changes.ts'
import { runAction } from './act.ts'
import type { Engine } from './engine.ts'

/** Records of one resource that may wait so long. */
export type ExpiringRecords = {
  readonly resource: Resource
  readonly transition: string
  readonly where: () => Condition
}

/** Nothing where no declaration has an expiry that these settings turn on. */
export function waitingRecords({ catalog, settings, clock }: Engine): ExpiringRecords[] {
  return [...catalog.resources.values()].flatMap((resource) =>
    resource.storedNames.flatMap((state) => {
      const { expires } = resource.fields[state] as Field
      const seconds = expires?.after(settings)
      if (!expires || seconds === undefined) return []
      const { from: values, since: field, transition } = expires
      const where = () => {
        const value = timestampOf(clock() - seconds * 1000)
        return all({ kind: 'in', field: state, values }, { kind: 'compare', field, operator: 'lte', value })
      }
      return [{ resource, transition, where }]
    }),
  )
}

/**
 * Makes the transition, if the record still waits. Throws the refusal of the transition or of its
 * work; nothing is stored then.
 */
export async function expire(
  engine: Engine,
  { resource, transition, where }: ExpiringRecords,
  id: Scalar,
): Promise<void> {
  const fields = Object.keys(resource.actions[transition]?.input ?? {})
  const input = Object.fromEntries(fields.map((name) => [name, useDefault]))
  await engine.records.transaction(serviceAuthor, async (tx) => {
    const record = (await tx.lock(resource, all(equal(resource.idField, id), where())))?.row
    if (!record) return
    const facts = { userId: null, role: engine.catalog.roles.operator, isTrusted: true }
    const caller = knownCaller(facts, serviceAuthor)
    await runAction({ engine, tx }, { resource, name: transition, record, input, caller })
  })
}
