/**
 * The queue of waiting and failed effects (mails, webhooks) as one more table of a copy. Leases are
 * not copied: an effect that a process runs in the source waits in the copy until that lease would
 * have ended.
 */
import type { Catalog } from '../../resource/catalog.ts'
import { type ModelColumn, type ModelTable, modelOf } from '../model/model.ts'
import { sql } from '../sql/kysely.ts'
import { effectsTable } from '../stored-effects.ts'
import type { CopyEndpoint } from './copy-rows.ts'

const column = (name: string, type: ModelColumn['type'], notNull = true): ModelColumn => ({ name, type, notNull })

export const effectRows: ModelTable = {
  name: effectsTable,
  primaryKey: 'number',
  columns: [
    { ...column('number', 'integer'), counted: true },
    column('id', 'text'),
    column('kind', 'text'),
    column('key', 'text', false),
    column('in_order', 'integer'),
    column('state', 'text'),
    column('due_ms', 'integer'),
    column('tries', 'integer'),
    column('left_ms', 'integer'),
    column('payload', 'text'),
    column('error', 'text', false),
  ],
  indexes: [],
}

export async function hasRows({ dialect, executor }: CopyEndpoint, table: string): Promise<boolean> {
  const { sql: text } = dialect.builder.selectFrom(table).select(sql.lit(1).as('one')).limit(sql.lit(1)).compile()
  return (await executor.first({ sql: text, parameters: [] })) !== undefined
}

type CopiedEffectsOptions = CopyEndpoint & { readonly catalog: Catalog; hasTable(name: string): Promise<boolean> }

/**
 * The tables of a source: those of the model, and the effect queue if the source has one. Databases
 * of earlier versions have no table for it.
 */
export async function tablesOf({ catalog, hasTable, ...end }: CopiedEffectsOptions): Promise<readonly ModelTable[]> {
  const { tables } = modelOf(catalog)
  return (await hasTable(effectsTable)) && (await hasRows(end, effectsTable)) ? [...tables, effectRows] : tables
}
