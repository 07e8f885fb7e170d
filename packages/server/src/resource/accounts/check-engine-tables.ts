/**
 * Checks the fields and rules that an application adds to the engine's own tables. No field may
 * stop the engine from writing a record, and no rule may let a caller change an audit event.
 */

import { operationsIn } from '../access/change-rule.ts'
import type { DeclarationCheck } from '../checks/declaration-check.ts'
import { type DeclaredResource, engineMark } from '../define.ts'
import type { Field } from '../fields/field.ts'
import { checkBoundKeys } from './check-bound-keys.ts'

/** The fields that the application added, or that need no value. */
function addedFields(declared: DeclaredResource): readonly (readonly [string, Field])[] {
  const own = new Set<string>(Object.values(declared[engineMark] ?? {}))
  return Object.entries(declared.fields).filter(
    ([name, { virtual, type }]) => !own.has(name) && !virtual && !type.referredBy,
  )
}

/** The engine makes these records, and sets only its own fields. */
function checkMaking({ declared, report }: DeclarationCheck): void {
  for (const operation of ['create', 'replace', 'import'])
    if (operationsIn(declared.access).has(operation))
      report(`access.${operation}`, 'the engine alone makes these records')
  for (const [name, { nullable, setBy, default: value }] of addedFields(declared)) {
    const isGiven = value !== undefined || setBy === 'create' || setBy === 'write'
    if (!nullable && !isGiven) report(`field "${name}"`, 'must not be required: the engine knows no value for it')
  }
}

/** Why the engine would have to change an event later, or could not write a second one. */
function auditMistake({ reference, unique }: Field): string | undefined {
  if (reference && reference.onDelete !== 'keep')
    return "must have onDelete: 'keep': what happened stays as it was when the record that it names has gone"
  if (reference?.touch) return 'must not touch the record that it names: no caller has changed it'
  return unique ? 'must not be unique: the same thing may happen again' : undefined
}

function checkAudit({ declared, byName, report }: DeclarationCheck): void {
  for (const operation of ['update', 'delete'])
    if (operationsIn(declared.access).has(operation))
      report(`access.${operation}`, 'audit events are only read: there are list, get and export')
  for (const [name, field] of addedFields(declared)) {
    const mistake = auditMistake(field)
    if (mistake) report(`field "${name}"`, mistake)
  }
  for (const other of byName.values())
    for (const [name, { reference }] of Object.entries(other.fields))
      if (reference?.touch && reference.resource === declared.name)
        report('fields', `field "${name}" of "${other.name}" must not touch audit events, which never change`)
}

export function checkEngineTables(context: DeclarationCheck): void {
  const kind = context.declared[engineMark]?.kind
  if (kind === undefined) return
  if (kind === 'audit') checkAudit(context)
  // Owners make their keys and give the values.
  if (kind === 'api-key') checkBoundKeys(context)
  else checkMaking(context)
}
