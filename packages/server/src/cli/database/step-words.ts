/** Describes the steps of a migration for people. */
import type { MigrationStep } from '../../storage/migrate/steps.ts'

/** `add column products.stock (integer)` */
export function describeStep(step: MigrationStep): string {
  const what = step.kind.replace('-', ' ')
  switch (step.kind) {
    case 'create-table':
      return `${what} ${step.table.name} (${step.table.columns.length} columns)${step.again ? ', empty, in place of one that something else dropped' : ''}`
    case 'rename-table':
      return `${what} ${step.from.name} to ${step.table.name}${step.keep ? `, which stays known as ${step.from.name}` : ''}`
    case 'drop-alias':
      return `${what} ${step.alias} of ${step.table}`
    case 'leave-table':
    case 'return-table':
    case 'drop-table':
      return `${what} ${step.table}`
    case 'add-column':
      return `${what} ${step.table}.${step.column.name} (${step.column.type})`
    case 'rename-column':
    case 'mirror-column':
      return `${what} ${step.table}.${step.column} to ${step.to}`
    case 'return-column':
    case 'recompute':
      return `${what} ${step.table}.${step.column.name}`
    case 'drop-column':
    case 'leave-column':
    case 'allow-null':
    case 'require':
      return `${what} ${step.table}.${step.column}`
    case 'refer': {
      const { references } = step
      const end = references ? `refers to ${references.table} (${references.onDelete})` : 'refers to nothing'
      return `change reference ${step.table}.${step.column}, which ${end}`
    }
    case 'swap-column':
      return `${what} ${step.table}.${step.old} for its converted values`
    case 'fill':
      return `${what} ${step.fillers.map(({ column, by }) => `${step.table}.${column} (${by})`).join(', ')}`
    case 'count':
      return `${what} the records that ${step.table}.${step.column} counts`
    case 'number':
      return `${what} the rows of ${step.table} in ${step.column}, in the order of creation`
    case 'place':
      return `${what} the rows of ${step.table} in ${step.column}, in the order of ${step.from ?? 'creation'}`
    case 'link':
      return `${what} the rows of ${step.table} by ${step.column}, in ${step.linked.into}`
    case 'rename-words':
      return `${what} of ${step.table}.${step.column}: ${Object.entries(step.words)
        .map(([from, to]) => `${from} is ${to}`)
        .join(', ')}`
    case 'create-key':
      return `create primary key ${step.table}.${step.column}`
    case 'create-index':
      return `${what} ${step.index.name} on ${step.table} (${step.index.columns.join(', ')})`
    case 'rename-index':
      return `${what} ${step.from} of ${step.table} to ${step.index.name}`
    case 'drop-index':
      return `${what} ${step.index} of ${step.table}`
    case 'create-search':
    case 'drop-search':
      return `${what} of ${step.table.name}${step.tenant === undefined ? '' : `, by ${step.tenant}`}`
    case 'refill':
      return `${what} folded and searched texts of ${step.table}`
  }
}
