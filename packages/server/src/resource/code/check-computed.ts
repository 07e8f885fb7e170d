/**
 * Finds mistakes in computed fields: reads of the clock, and of values that are not there yet or
 * change later. It also finds values that some callers may not know.
 */

import { checkRead, trialOf } from '../checks/check-functions.ts'
import type { DeclarationCheck } from '../checks/declaration-check.ts'
import { notComputedFrom } from '../fields/computed/computed-value.ts'
import type { Field } from '../fields/field.ts'
import { isUpserted } from '../keys/upsert-keys.ts'

/** Every reader of the record would learn from it what the rule of the other field keeps. */
function isTold({ fields }: DeclarationCheck['declared'], name: string, other: string): boolean {
  const { read, hidden } = fields[other] as Field
  return (read !== undefined || hidden) && !fields[name]?.read
}

function checkOne(context: DeclarationCheck, name: string, compute: (record: object) => unknown): void {
  const { declared } = context
  const report = (problem: string) => context.report(`field "${name}"`, problem)
  const { read, clock, returned } = trialOf(compute, context)
  checkRead(context, `field "${name}"`, read)
  if (clock) report(`reads the clock by ${clock}, and is stored: use derived(…, { clock: true }) instead`)
  if (returned?.value instanceof Promise) report('gives a promise: it computes at once')
  for (const other of read) {
    if (!Object.hasOwn(declared.fields, other)) continue // reported above
    const why = notComputedFrom(declared.fields, { name, other })
    if (why) report(other === name ? 'is computed from itself' : `is computed from "${other}", ${why}`)
    else if (isTold(declared, name, other))
      report(`is computed from "${other}", which not all callers may read: give it a rule, computed(text({ read }), …)`)
  }
}

export function checkComputed(context: DeclarationCheck): void {
  const { declared, report } = context
  for (const [name, { computed }] of Object.entries<Field>(declared.fields)) {
    if (!computed) continue
    checkOne(context, name, computed.compute)
    const follows = `"${name}" is computed from other fields`
    if (declared.onWrite && Object.hasOwn(declared.onWrite, name)) report('onWrite', follows)
    if (declared.unique?.some((key) => key.includes(name))) report('unique', follows)
    if (isUpserted(declared, name)) report('upsert', `${follows}, so no caller sends it`)
  }
}
