/**
 * A summary as CSV: a line for each group, with the names of groups, `count`, and numbers as
 * `sum.price`. The values are those of the JSON, as in an exported list.
 */
import type { HttpResponse } from '../../http/messages/exchange.ts'
import type { SummaryOperation } from '../../operation/operation.ts'
import type { representGroups } from '../../perform/read/summarize.ts'
import type { Field, Json } from '../../resource/fields/field.ts'
import { fieldOfKey } from '../../resource/relations/far-field.ts'
import { csvValueOf, printCsv } from '../../value/print-csv.ts'

export const csvType = 'text/csv'

/** The form of a summary depends on what the client accepts. */
export const varyByForm = { vary: 'Accept' } as const

type Column = {
  readonly name: string
  readonly type: Field['type'] | undefined
  valueIn(group: Group): Json | undefined
}
type Group = ReturnType<typeof representGroups>[number]

function columnsOf({ resource, groups, measures }: SummaryOperation): readonly Column[] {
  return [
    ...groups.map((key): Column => {
      const type = key.unit ? undefined : fieldOfKey(resource, key).type
      return { name: key.name, type, valueIn: (group) => group[key.name] as Json }
    }),
    { name: 'count', type: undefined, valueIn: (group) => group.count as Json },
    ...measures.map(({ name, kind, field }): Column => {
      const { type } = resource.fields[field] as Field
      return { name, type, valueIn: (group) => (group[kind] as Readonly<Record<string, Json>> | undefined)?.[field] }
    }),
  ]
}

export function summaryAsCsv(operation: SummaryOperation, groups: readonly Group[]): HttpResponse {
  const columns = columnsOf(operation)
  const rows = groups.map((group) => columns.map(({ type, valueIn }) => csvValueOf(type, valueIn(group))))
  const headers = { 'content-type': `${csvType}; charset=utf-8; header=present`, ...varyByForm }
  return { status: 200, headers, body: printCsv([columns.map(({ name }) => name), ...rows]) }
}
