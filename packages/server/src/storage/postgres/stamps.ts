/**
 * Where the tables stand. Each has a sequence that a trigger moves before anything is written, while the writer holds a shared lock until it
 * has committed. So what was read stays true as long as the sequence stands where it stood, if no writer was at work when it was read.
 */
import { sql } from 'kysely'
import type { Resource } from '../../resource/catalog.ts'
import type { Executor } from '../sql/reader.ts'
import { postgresDialect } from './dialect.ts'
import { makeShare } from './share.ts'

export type Stamps = {
  /** The stamp of these resources, read after the call. */
  now(resources: readonly Resource[]): Promise<number>
  /** The stamp, and whether nobody was writing to these resources after it was read. */
  quiet(resources: readonly Resource[]): Promise<{ readonly stamp: number; readonly isQuiet: boolean }>
}

export function stampKeyOf(resources: readonly Resource[]): string {
  return resources.map(({ table }) => table).join()
}

export function makeStamps(executor: Executor): Stamps {
  const { builder, stamp } = postgresDialect
  const texts = new Map<string, { now: string; quiet: string }>()
  const share = makeShare()

  function textsOf(resources: readonly Resource[]) {
    const key = stampKeyOf(resources)
    let known = texts.get(key)
    if (!known) {
      const free = resources.map(
        ({ table }) => sql`pg_try_advisory_xact_lock(${sql.lit(`"${table}"`)}::regclass::oid::bigint)`,
      )
      const now = sql`select ${stamp?.(resources)}`.compile(builder).sql
      known = { now, quiet: sql`select ${stamp?.(resources)}, ${sql.join(free, sql` and `)}`.compile(builder).sql }
      texts.set(key, known)
    }
    return known
  }

  return {
    now: (resources) =>
      share(`now ${stampKeyOf(resources)}`, async () => {
        const cells = await executor.first({ sql: textsOf(resources).now, parameters: [] })
        return cells?.[0] as number
      }),
    quiet: (resources) =>
      share(`quiet ${stampKeyOf(resources)}`, async () => {
        const cells = await executor.first({ sql: textsOf(resources).quiet, parameters: [] })
        const [stamp, isQuiet] = cells as [number, boolean]
        return { stamp, isQuiet }
      }),
  }
}
