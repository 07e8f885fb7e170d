/**
 * The effect queue in the SQLite file. There is one writer, so no other write comes between the
 * steps of a claim.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Author } from '../../changes.ts'
import { leavingEffects } from '../../sql/effect-rows.ts'
import type { EffectDialect } from '../../sql/effect-statements.ts'
import type { Executor } from '../../sql/reader.ts'
import { announcementOf, type EffectPlace, effectsTable } from '../../stored-effects.ts'
import type { SqliteConnection } from '../connection.ts'
import { addMissingColumns } from './added-columns.ts'
import { checkOpen } from './attempt-executor.ts'
import type { SqliteChangeLog } from './change-log.ts'
import type { WriteAttempt } from './commit-group.ts'

const tableSql = `
  CREATE TABLE IF NOT EXISTS ${effectsTable} (number INTEGER PRIMARY KEY, id TEXT NOT NULL, kind TEXT NOT NULL, key TEXT,
    in_order INTEGER NOT NULL, state TEXT NOT NULL DEFAULT 'due', due_ms INTEGER NOT NULL, holder TEXT, tries INTEGER NOT NULL DEFAULT 0,
    was_lost INTEGER NOT NULL DEFAULT 0, left_ms INTEGER NOT NULL, payload TEXT NOT NULL, error TEXT) STRICT;
  CREATE INDEX IF NOT EXISTS ${effectsTable}_due ON ${effectsTable} (kind, due_ms, number) WHERE state = 'due';
  CREATE INDEX IF NOT EXISTS ${effectsTable}_running ON ${effectsTable} (kind, due_ms) WHERE state = 'running';
  CREATE INDEX IF NOT EXISTS ${effectsTable}_line ON ${effectsTable} (kind, key, (number + 0)) WHERE key IS NOT NULL;
  DROP INDEX IF EXISTS ${effectsTable}_key;
  CREATE INDEX IF NOT EXISTS ${effectsTable}_given_up ON ${effectsTable} (kind, number) WHERE state = 'given-up';
`
/** Effects of an earlier version have neither. */
const columns = { context: 'TEXT', steps: 'TEXT' }

export function makeEffectsTable(database: DatabaseSync): void {
  database.exec(tableSql)
  addMissingColumns(database, effectsTable, columns)
}

export const effectDialect: EffectDialect = {
  place: (sql) => sql.replaceAll(/\$(\d)/g, '?$1'),
  each: (parameter) => `json_each(${parameter}) AS x`,
  cell: (index) => `x.value ->> ${index}`,
  only: () => 'x.value',
  among: (select) => `IN (${select})`,
  position: 'x.key',
  lock: '',
}

type EffectWriterDeps = {
  readonly writer: SqliteConnection
  readonly executor: Executor
  readonly attempt: WriteAttempt
  readonly log: Pick<SqliteChangeLog, 'note'>
  readonly author: Author
}

/** Its row in the change log wakes the runners of effects, in this process and in others. */
export function leavingIn({ writer, executor, attempt, log, author }: EffectWriterDeps) {
  return leavingEffects(effectDialect, executor, async (statement, effects) => {
    checkOpen(attempt)
    attempt.written = true
    const number: EffectPlace['number'] = writer.insert(statement)
    const about = { resource: { name: effectsTable }, kind: 'insert', ...announcementOf(effects) } as const
    log.note(author, about, [{ id: number, version: 1 }])
  })
}
