/**
 * The SQL of jobs, the same for every database except for `EffectDialect`. A job is joined with its
 * effect, by the index of the effect's kind and key.
 */
import { jobKindStart } from '../../../resource/jobs/job-context.ts'
import { effectsTable } from '../../stored-effects.ts'
import { jobsTable as t } from '../../stored-jobs.ts'
import type { EffectDialect } from '../effect-statements.ts'
import { textsOfDialect } from '../texts-of-dialect.ts'

/** A job without an effect was removed with it. `$1`: now. */
const openSql = `WHEN e.number IS NULL THEN 'cancelled' WHEN e.state = 'given-up' THEN 'failed' WHEN e.holder IS NOT NULL AND e.due_ms > $1 THEN 'running'`
const stateSql = `CASE WHEN j.outcome IS NOT NULL THEN j.outcome ${openSql} ELSE 'waiting' END`
const theirs = `e.kind = '${jobKindStart}' || j.name AND e.key = j.line AND e.id = j.id`
const joined = `${t} AS j LEFT JOIN ${effectsTable} AS e ON ${theirs}`
const withEffect = `${t} AS j JOIN ${effectsTable} AS e ON ${theirs}`
const columns = `j.number, j.id, j.name, ${stateSql}, j.user_id, j.tenant, j.queue, j.dedupe, j.input, j.progress,
  j.result, j.refusal, e.error, coalesce(e.tries, j.tries), j.added_ms, e.due_ms, j.started_ms,
  coalesce(j.ended_ms, CASE WHEN e.state = 'given-up' THEN e.due_ms END), e.number`
/** The most rows that one statement of a sweep removes. */
export const sweptMax = 1_000

function statementsOf({ each, only }: EffectDialect) {
  const listed = (column: string, parameter: string) => `${column} IN (SELECT ${only('text')} FROM ${each(parameter)})`
  return {
    insert: `INSERT INTO ${t} (id, name, line, user_id, tenant, queue, dedupe, input, added_ms)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    held: `SELECT j.id, ${stateSql} FROM ${withEffect} WHERE j.name = $2 AND j.dedupe = $3
      AND coalesce(j.tenant, '') = $4 AND j.ended_ms IS NULL AND e.state <> 'given-up' ORDER BY j.number`,
    inTenant: `SELECT j.id FROM ${withEffect} WHERE j.tenant = $1 AND j.ended_ms IS NULL AND e.state <> 'given-up'`,
    withdraw: `DELETE FROM ${effectsTable} WHERE number IN
        (SELECT e.number FROM ${withEffect} WHERE ${listed('j.id', '$1')} AND j.ended_ms IS NULL)
      AND state <> 'given-up' AND (holder IS NULL OR due_ms <= $2 OR $3 = 1) RETURNING number, kind, key, in_order, id`,
    cancel: `UPDATE ${t} SET outcome = 'cancelled', ended_ms = $2 WHERE ${listed('id', '$1')} AND ended_ms IS NULL RETURNING number, 1`,
    start: `UPDATE ${t} SET started_ms = $3, tries = $2, refusal = NULL WHERE id = $1 AND ended_ms IS NULL
      RETURNING input, queue, dedupe`,
    advance: `UPDATE ${t} SET progress = $2 WHERE id = $1 AND ended_ms IS NULL`,
    finish: `UPDATE ${t} SET outcome = 'done', result = $2, progress = coalesce($3, progress), ended_ms = $4
      WHERE id = $1 AND ended_ms IS NULL`,
    refuse: `UPDATE ${t} SET refusal = $2 WHERE id = $1 AND ended_ms IS NULL`,
    find: `SELECT ${columns} FROM ${joined} WHERE j.id = $2`,
    findAll: `SELECT ${columns} FROM ${joined} WHERE substr(j.id, 1, $3) = $2 ORDER BY j.number LIMIT 2`,
    list: `SELECT ${columns} FROM ${joined} WHERE j.number > $2 AND j.name = coalesce($3, j.name)
      AND ${stateSql} = coalesce($4, ${stateSql}) ORDER BY j.number LIMIT $5`,
    old: `DELETE FROM ${t} WHERE number IN (SELECT number FROM ${t} WHERE ended_ms < $1 ORDER BY ended_ms LIMIT ${sweptMax})`,
    surplus: `DELETE FROM ${t} WHERE number IN
      (SELECT number FROM ${t} WHERE ended_ms IS NOT NULL ORDER BY ended_ms DESC LIMIT ${sweptMax} OFFSET $1)`,
    oldFailed: `DELETE FROM ${effectsTable} WHERE number IN (SELECT e.number FROM ${withEffect}
      WHERE j.ended_ms IS NULL AND e.state = 'given-up' AND e.due_ms < $1 LIMIT ${sweptMax})`,
    removed: `DELETE FROM ${t} WHERE number IN (SELECT j.number FROM ${joined}
      WHERE j.ended_ms IS NULL AND e.number IS NULL AND j.added_ms < $1 LIMIT ${sweptMax})`,
  }
}

export const jobTextsOf = textsOfDialect(statementsOf)
