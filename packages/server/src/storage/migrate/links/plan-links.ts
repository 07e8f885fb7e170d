/** Plans how a reference becomes links: each value becomes one link, then its column goes. */
import type { Field } from '../../../resource/fields/field.ts'
import type { ModelColumn } from '../../model/model.ts'
import type { ColumnChange } from '../plan.ts'
import { besideRefusal, placeOf } from '../plan.ts'
import { linkOf, targetOf } from './linked-columns.ts'

/** Returns whether a field of links replaces the column. */
export function planLinks(change: ColumnChange, column: ModelColumn): boolean {
  const { resource, stored, planning, into, storedTable } = change
  const found = linkOf(change.links, column)
  if (!found) return false
  const { field, link, inTrash } = found
  const { table } = resource
  const at = `${resource.writtenIn}: ${resource.name}: field "${field}": ${stored.name}.${column.name}`
  if (planning.beside) into.refusals.push(besideRefusal(placeOf(resource, column), 'becomes links'))
  const lacking = link.valueNames.find((name) => {
    const own = link.table.fields[name] as Field
    return !own.nullable && own.default === undefined
  })
  if (lacking !== undefined)
    into.refusals.push(`${at} becomes links, which have no value for their field "${lacking}"; give it a default`)
  const target = storedTable(link.target.table)
  const trash = link.target.trash && storedTable(link.target.trash.resource.table)
  // A record in the trash may name one that has gone since, and then has no link.
  if (!inTrash)
    into.checks.push({
      kind: 'no-orphans',
      table: stored,
      column: column.name,
      target: target && { table: target.name, key: target.primaryKey },
      trash: trash && { table: trash.name, key: trash.primaryKey },
      line: `${at} becomes links to ${link.target.table}, and rows have an id of no such record`,
      advice: 'bring those records back, or let the rows go of them first',
    })
  const step = { table, column: column.name, linked: targetOf(link) }
  into.links.push({ kind: 'link', ...step }, { kind: 'drop-column', ...step, heir: link.table.table })
  return true
}
