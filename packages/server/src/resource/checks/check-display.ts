/** Finds mistakes in `display`: names that do not exist, and fields that cannot be shown. */
import { groupsOf } from '../display/declared-display.ts'
import type { Field } from '../fields/field.ts'
import { findMeant } from '../words/nearest.ts'
import { type DeclarationCheck, fieldOf, movesOf, noField } from './declaration-check.ts'

function named({ declared, report }: DeclarationCheck, at: string, name: string): Field | undefined {
  const field = fieldOf(declared, name)
  if (!field) report(at, noField(declared, name))
  return field
}

/** The field, when a page may show its value. */
function shown(context: DeclarationCheck, at: string, name: string): Field | undefined {
  const field = named(context, at, name)
  if (!field || (!field.hidden && field.type.secret === undefined)) return field
  context.report(at, `"${name}" is never shown`)
  return undefined
}

function checkGroups(context: DeclarationCheck): void {
  const groupOf = new Map<string, number>()
  const { declared, report } = context
  const keys = Object.keys(declared.display?.groups ?? {})
  groupsOf(declared.display ?? {}).forEach(({ fields }, index) => {
    const at = `display.groups.${keys[index]}`
    for (const name of fields) {
      named(context, at, name)
      const other = groupOf.get(name)
      if (other !== undefined) report(at, `"${name}" is in the group ${keys[other]} already`)
      groupOf.set(name, index)
    }
  })
}

function checkLabels({ declared, report }: DeclarationCheck): void {
  const { fields, actions, children, display } = declared
  const known = [fields, actions ?? {}, children ?? {}].flatMap(Object.keys).concat(movesOf(declared))
  for (const name of Object.keys(display?.labels ?? {}))
    if (!known.includes(name))
      report('display.labels', `no field, action or children "${name}"${findMeant(name, known)}`)
}

export function checkDisplay(context: DeclarationCheck): void {
  const { declared, report } = context
  const { columns, title, widgets } = declared.display ?? {}
  checkLabels(context)
  checkGroups(context)
  for (const name of columns ?? []) shown(context, 'display.columns', name)
  if (columns?.length === 0) report('display.columns', 'names one field at least')
  if (columns && new Set(columns).size < columns.length) report('display.columns', 'names a field twice')
  if (title !== undefined) shown(context, 'display.title', title)
  for (const name of Object.keys(widgets ?? {})) {
    const field = shown(context, 'display.widgets', name)
    if (field && !field.type.isProse) report('display.widgets', `"${name}" is no text`)
  }
}
