/**
 * Mistakes in what an application adds to the engine's own tables: no field may make the engine
 * unable to write a record, and no declaration may open what has happened to being changed.
 */

import type { DeclarationCheck } from '../checks/declaration-check.ts'
import { type DeclaredResource, engineMark } from '../define.ts'
import type { Field } from '../fields/field.ts'

/** The fields that the application added, or that need no value. */
function addedFields(declared: DeclaredResource): readonly (readonly [string, Field])[] {
  const own = new Set<string>(Object.values(declared[engineMark] ?? {}))
  return Object.entries(declared.fields).filter(
    ([name, { virtual, type }]) => !own.has(name) && !virtual && !type.referredBy,
  )
}

/** The engine makes these records, and knows its own fields alone. */
function checkMaking({ declared, report }: DeclarationCheck): void {
  for (const operation of ['create', 'replace', 'import'])
    if (declared.access[operation]) report(`access.${operation}`, 'the engine alone makes these records')
  for (const [name, { nullable, setBy, default: value }] of addedFields(declared)) {
    const isGiven = value !== undefined || setBy === 'create' || setBy === 'write'
    if (!nullable && !isGiven) report(`field "${name}"`, 'must not be required: the engine knows no value for it')
  }
}

/** Why the engine would have to change an event later, or could not write a second one. */
function auditMistake({ reference, unique }: Field): string | undefined {
  if (reference && reference.onDelete !== 'keep')
    return "must have onDelete: 'keep': what happened stays as it was when the record that it names has gone"
  if (reference?.touch) return 'must not touch the record that it names: nobody has changed it'
  return unique ? 'must not be unique: the same thing may happen again' : undefined
}

function checkAudit({ declared, byName, report }: DeclarationCheck): void {
  for (const operation of ['update', 'delete'])
    if (declared.access[operation])
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
  // Keys are made by those who own them, who give the values.
  if (kind === 'audit') checkAudit(context)
  if (kind !== 'api-key') checkMaking(context)
}
