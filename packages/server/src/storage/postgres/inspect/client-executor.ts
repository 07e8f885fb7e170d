/** Statements on a connection of an examination, which writes nothing. */
import type pg from 'pg'
import type { Executor } from '../../sql/reader.ts'

export function executorOn(client: pg.Client): Executor {
  const ask = async ({ sql, parameters }: { sql: string; parameters: readonly unknown[] }) =>
    client.query<unknown[]>({ text: sql, values: [...parameters], rowMode: 'array' })
  return {
    all: async (statement) => (await ask(statement)).rows,
    first: async (statement) => (await ask(statement)).rows[0],
    run: async () => {
      throw new Error('an examination writes nothing')
    },
  }
}
