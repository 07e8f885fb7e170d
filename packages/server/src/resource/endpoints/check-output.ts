/** Finds mistakes in the output of actions, and in fields whose values code gives. */
import { type DeclarationCheck, fieldNameMistake } from '../checks/declaration-check.ts'
import type { DeclaredResource } from '../define.ts'
import type { Field, Fields } from '../fields/field.ts'
import { partsOf } from '../fields/nested/object.ts'

/** Why code cannot give a value of this field; undefined where it can. */
export function valueMistake({ virtual, type, limits }: Field): string | undefined {
  if (virtual || type.secret) return 'is a field of records that code neither takes nor gives'
  return type.limitsMistake?.(limits)
}

type CheckedFields = { readonly place: string; readonly fields: Fields; mistakeIn(field: Field): string | undefined }

/** Reports the mistakes of fields, and of those within objects. */
export function checkValues(report: DeclarationCheck['report'], { place, fields, mistakeIn }: CheckedFields): void {
  for (const [name, field] of Object.entries(fields)) {
    const at = `${place}.${name}`
    const problem = fieldNameMistake(name) ?? mistakeIn(field)
    if (problem) report(at, problem)
    checkValues(report, { place: at, fields: partsOf(field) ?? {}, mistakeIn })
  }
}

/** Whether the action is a transition that a repeat does not make again. */
export function isRepeatable({ fields }: DeclaredResource, name: string): boolean {
  return Object.values(fields).some(({ transitions = {} }) => transitions[name]?.repeatable === true)
}

/** An action that answers with values answers with no record. */
export function checkOutputs({ declared, report }: DeclarationCheck): void {
  for (const [name, { returns, creates, output }] of Object.entries(declared.actions ?? {})) {
    const at = `actions.${name}`
    if (output === undefined) continue
    for (const [member, value] of Object.entries({ returns, creates }))
      if (value !== undefined) report(`${at}.${member}`, 'means nothing beside output: no record is answered')
    if (isRepeatable(declared, name))
      report(`${at}.output`, 'the transition is repeatable, and a repeat runs nothing that could give it')
    checkValues(report, { place: `${at}.output`, fields: output, mistakeIn: valueMistake })
  }
}
