/** Mistakes in the resource of the audit: no declaration may open what has happened to being changed, or make the engine unable to write it. */
import type { Field } from '../fields/field.ts'
import { factsOf, isEngineOperation } from '../operation-kind.ts'
import type { Context } from './declaration-check.ts'

const isRead = (operation: string) => isEngineOperation(operation) && factsOf(operation).reads

/** Why the engine could not write a record with this field, or would have to change it later. */
function mistakeOf({ reference, virtual, required, unique, type, setBy, default: value }: Field): string | undefined {
  if (virtual || type.referredBy) return undefined
  if (reference && reference.onDelete !== 'keep')
    return "must have onDelete: 'keep': what happened stays as it was when the record that it names has gone"
  if (reference?.touch) return 'must not touch the record that it names: nobody has changed it'
  if (unique) return 'must not be unique: the same thing may happen again'
  const isGiven = setBy === 'create' || value !== undefined
  return required && !isGiven ? 'must not be required: the engine knows no value for it' : undefined
}

export function checkAudit({ declared, byName, report }: Context): void {
  for (const [operation, rule] of Object.entries(declared.access))
    if (rule && !isRead(operation))
      report(`access.${operation}`, 'audit events are only read: there are list, get and export')
  if ((declared.unique?.length ?? 0) > 0) report('unique', 'the same thing may happen again')
  const event = declared.identity?.kind === 'audit' ? declared.identity.event : undefined
  for (const [name, field] of Object.entries(declared.fields)) {
    const mistake = name === event ? undefined : mistakeOf(field)
    if (mistake) report(`field "${name}"`, mistake)
  }
  for (const other of byName.values())
    for (const [name, { reference }] of Object.entries(other.fields))
      if (reference?.touch && reference.resource === declared.name)
        report('identity', `field "${name}" of "${other.name}" must not touch audit events, which never change`)
}
