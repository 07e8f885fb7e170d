/**
 * Where the tables stand. Each has a sequence that a trigger moves before anything is written, while the writer holds a shared lock until it
 * has committed. So what was read stays true as long as the sequence stands where it stood, if no writer was at work when it was read.
 */
import { sql } from 'kysely'
import type { Resource } from '../../resource/catalog.ts'
import type { Executor } from '../reader.ts'
import { postgresDialect } from './dialect.ts'

export type Stamps = {
  /** The stamp of these resources, read after the call: one statement for everybody who asks within a turn of the event loop. */
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
  const asked = new Map<string, Promise<number>>()

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
    now(resources) {
      const key = stampKeyOf(resources)
      let waiting = asked.get(key)
      if (!waiting) {
        waiting = new Promise<void>((resolve) => setImmediate(resolve)).then(async () => {
          asked.delete(key) // who asks from now on may have seen a later write
          return (await executor.first({ sql: textsOf(resources).now, parameters: [] }))?.[0] as number
        })
        asked.set(key, waiting)
      }
      return waiting
    },
    async quiet(resources) {
      const cells = (await executor.first({ sql: textsOf(resources).quiet, parameters: [] })) as [number, boolean]
      return { stamp: cells[0], isQuiet: cells[1] }
    },
  }
}
