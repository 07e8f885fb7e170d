/** The table of jobs in the SQLite file. */
import type { Author } from '../../changes.ts'
import { writingJobs } from '../../sql/jobs/job-rows.ts'
import type { Executor } from '../../sql/reader.ts'
import { type JobWriter, jobsTable } from '../../stored-jobs.ts'
import type { SqliteChangeLog } from './change-log.ts'
import type { WriteAttempt } from './commit-group.ts'
import { effectDialect } from './effects-table.ts'

export const jobsTableSql = `
  CREATE TABLE IF NOT EXISTS ${jobsTable} (number INTEGER PRIMARY KEY, id TEXT NOT NULL, name TEXT NOT NULL, line TEXT NOT NULL,
    user_id TEXT, tenant TEXT, queue TEXT, dedupe TEXT, input TEXT NOT NULL, progress TEXT, result TEXT, refusal TEXT,
    outcome TEXT, tries INTEGER NOT NULL DEFAULT 0, added_ms INTEGER NOT NULL, started_ms INTEGER, ended_ms INTEGER) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS ${jobsTable}_id ON ${jobsTable} (id);
  CREATE INDEX IF NOT EXISTS ${jobsTable}_dedupe ON ${jobsTable} (name, dedupe) WHERE dedupe IS NOT NULL AND ended_ms IS NULL;
  CREATE INDEX IF NOT EXISTS ${jobsTable}_open ON ${jobsTable} (added_ms) WHERE ended_ms IS NULL;
  CREATE INDEX IF NOT EXISTS ${jobsTable}_ended ON ${jobsTable} (ended_ms) WHERE ended_ms IS NOT NULL;
`

type JobWriterDeps = {
  readonly executor: Executor
  readonly attempt: WriteAttempt
  readonly log: Pick<SqliteChangeLog, 'note'>
  readonly author: Author
}

/** A cancellation has a row in the change log, by which the process that runs the job learns it. */
export function jobsIn({ executor, attempt, log, author }: JobWriterDeps): JobWriter {
  const all: Executor['all'] = (statement) => {
    attempt.written = true // also a statement with RETURNING
    return executor.all(statement)
  }
  return writingJobs(effectDialect, { ...executor, all }, async (statement, said) => {
    const rows = await all(statement)
    const about = { resource: { name: jobsTable }, kind: 'update', ...said } as const
    log.note(
      author,
      about,
      rows.map(([id]) => ({ id: id as number, version: 1 })),
    )
  })
}
