/**
 * A target must be empty before a copy begins, and is marked while one goes on: what holds only half is then taken neither for a whole
 * database nor for somebody else's.
 */
import { sql } from 'kysely'
import { StartError } from '../errors.ts'
import type { CopyEnd } from './copy-rows.ts'
import type { CopyMark, Step } from './migration.ts'
import type { Model } from './schema.ts'

export type Emptiness = CopyEnd & { hasTable(name: string): Promise<boolean> }

/** What is in the way, as a sentence; undefined when nothing is. `before`: the model that the database was last started with. */
export async function occupationOf(
  { dialect, executor, hasTable }: Emptiness,
  before: Model | undefined,
  model: Model,
): Promise<string | undefined> {
  const known = before?.tables.map(({ name }) => name) ?? []
  for (const name of new Set([...known, ...model.tables.map((table) => table.name)])) {
    if (!(await hasTable(name))) continue
    if (!known.includes(name)) return `The target has a table ${name} of something else; take a new database`
    const { sql: text } = dialect.builder.selectFrom(name).select(sql.lit(1).as('one')).limit(sql.lit(1)).compile()
    if (await executor.first({ sql: text, parameters: [] }))
      return `The target is not empty: ${name} has rows. Nothing was changed; take a new database`
  }
  return undefined
}

export function refuseOccupied(occupation: string | undefined): void {
  if (occupation !== undefined) throw new StartError(occupation)
}

export function markOf(from: string, begunAt: Date): string {
  const mark: CopyMark = { from, begunAt: begunAt.toISOString() }
  return JSON.stringify(mark)
}

/** Throws `StartError` when the source is not what today's declarations say. */
export function refuseOldSource(before: Model | undefined, steps: readonly Step[]): void {
  if (before === undefined) throw new StartError('The source is no database of Bindery: it has no tables of it')
  if (steps.length > 0)
    throw new StartError(
      `The source does not fit the declarations of today (${steps.length} to do): run bindery migrate on it first, with its address as DATABASE_URL`,
    )
}
