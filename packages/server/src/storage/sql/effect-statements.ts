/**
 * The SQL of the effect queue, the same for every database except for `EffectDialect`. A claim
 * walks one index from the first row that may be due; the row of a done effect is deleted.
 */
import { effectsTable as t } from '../stored-effects.ts'
import { jobsTable } from '../stored-jobs.ts'
import { textsOfDialect } from './texts-of-dialect.ts'

/** The differences between databases here. Lists are bound as one parameter of JSON. */
export type EffectDialect = {
  /** `$1` → the parameter in the database's syntax. */
  place(sql: string): string
  /** The text after FROM for the elements of a parameter, as `x`. */
  each(parameter: string): string
  /** A cell of an element, which is a list. */
  cell(index: number, type: 'bigint' | 'text'): string
  /** An element that is one value. */
  only(type: 'bigint' | 'text'): string
  /**
   * The list that a SELECT of one column returns, after a column: the rows are found by its index,
   * whatever the number of dead rows.
   */
  among(select: string): string
  /** The order of the elements. */
  readonly position: string
  /** Ends a SELECT of rows to write: it skips rows that other transactions have locked. */
  readonly lock: string
}

/**
 * A claimed effect is `running` until its lease ends; an earlier version left it `due`, with its
 * holder. So claims find what is due without the leases of effects that are done.
 */
const stateSql = `CASE WHEN state IN ('behind', 'given-up') THEN state WHEN holder IS NULL THEN 'waiting' WHEN due_ms > $1 THEN 'running' ELSE 'lost' END`
const columns = `number, id, kind, key, payload, left_ms, context, steps, tries, ${stateSql}, due_ms, error`

/** The most rows that one removal of those given up takes. */
export const removedMax = 1_000

function statementsOf({ each, cell, only, among, position, lock }: EffectDialect) {
  const numbers = (parameter: string) => `number ${among(`SELECT ${only('bigint')} FROM ${each(parameter)}`)}`
  const locked = (where: string) => `SELECT number FROM ${t} WHERE ${where} ORDER BY number${lock}`
  const unfinished = `SELECT e.number FROM ${t} AS e WHERE e.kind = ${cell(0, 'text')} AND e.key = ${cell(1, 'text')} AND e.state <> 'given-up' ORDER BY e.number + 0 LIMIT 1`
  const openOf = (state: string, limit: string) =>
    `(SELECT count(*) FROM (SELECT 1 FROM ${t} WHERE kind = $1 AND state = '${state}' LIMIT ${limit}) AS ${state})`
  const inserted = `INSERT INTO ${t} (id, kind, key, in_order, due_ms, left_ms, payload, context)`
  return {
    /** Most writes leave one: no list is read for it. */
    insertOne: `${inserted} VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    insert: `${inserted}
      SELECT ${[0, 1, 2].map((at) => cell(at, 'text')).join()}, ${[3, 4, 5].map((at) => cell(at, 'bigint')).join()}, ${cell(6, 'text')}, ${cell(7, 'text')}
      FROM ${each('$1')} ORDER BY ${position}`,
    takeBack: `DELETE FROM ${t} WHERE kind = $1 AND key = $2`,
    comeForward: `UPDATE ${t} SET state = 'due' WHERE kind = $1 AND key = $2 AND state = 'behind'`,
    has: `SELECT 1 FROM ${t} WHERE number = $1 AND id = $2`,
    next: `SELECT due_ms FROM ${t} WHERE kind = $1 AND state = 'due' AND due_ms >= $2 ORDER BY due_ms, number LIMIT 1`,
    candidates: `SELECT number, key FROM ${t} WHERE kind = $1 AND state = 'due' AND due_ms >= $2 AND due_ms <= $3
      ORDER BY due_ms, number LIMIT $4${lock}`,
    nextLost: `SELECT due_ms FROM ${t} WHERE kind = $1 AND state = 'running' ORDER BY due_ms LIMIT 1`,
    lost: `SELECT number, key FROM ${t} WHERE kind = $1 AND state = 'running' AND due_ms <= $2 ORDER BY due_ms LIMIT $3${lock}`,
    firsts: `SELECT ${cell(1, 'text')}, (${unfinished}) FROM ${each('$1')}`,
    held: locked(`${numbers('$1')} AND state <> 'given-up'`),
    standBehind: `UPDATE ${t} SET state = 'behind' WHERE ${numbers('$1')}`,
    claim: `UPDATE ${t} SET was_lost = CASE WHEN holder IS NULL THEN 0 ELSE 1 END, state = 'running', holder = $2, due_ms = $3, tries = tries + 1
      WHERE ${numbers('$1')} RETURNING number, id, kind, key, payload, left_ms, context, steps, tries, was_lost`,
    beat: `UPDATE ${t} SET due_ms = $3 WHERE ${numbers('$1')} AND holder = $2`,
    keepSteps: `UPDATE ${t} SET steps = $4 WHERE number = $1 AND id = $2 AND holder = $3`,
    mine: `SELECT number, kind, key, in_order, id FROM ${t} WHERE ${numbers('$1')} AND holder = $2 ORDER BY number${lock}`,
    stillMine: `SELECT id FROM ${t} WHERE ${numbers('$1')} AND holder = $2`,
    done: `DELETE FROM ${t} WHERE ${numbers('$1')}`,
    later: `UPDATE ${t} SET state = 'due', holder = NULL, due_ms = ${cell(1, 'bigint')}, error = coalesce(${cell(2, 'text')}, error), tries = tries - ${cell(3, 'bigint')}
      FROM ${each('$1')} WHERE number = ${cell(0, 'bigint')}`,
    givenUp: `UPDATE ${t} SET holder = NULL, state = 'given-up', due_ms = $2, error = ${cell(1, 'text')} FROM ${each('$1')} WHERE number = ${cell(0, 'bigint')}`,
    promote: `UPDATE ${t} SET state = 'due', due_ms = CASE WHEN due_ms < $2 THEN $2 ELSE due_ms END WHERE state = 'behind' AND number ${among(`SELECT (${unfinished}) FROM ${each('$1')}`)}`,
    count: `SELECT ${openOf('due', '$2')} + ${openOf('running', '$2')}`,
    unended: `SELECT count(*) FROM (SELECT 1 FROM ${t} WHERE kind = $1 AND key = $2 AND state <> 'given-up' LIMIT $3) AS found`,
    depths: `SELECT kind, ${stateSql}, count(*), min(left_ms) FROM ${t} GROUP BY 1, 2 ORDER BY 1, 2`,
    list: `SELECT ${columns} FROM ${t} WHERE number > $2 AND kind = coalesce($3, kind) AND ${stateSql} = coalesce($4, ${stateSql}) ORDER BY number LIMIT $5`,
    findAll: `SELECT ${columns} FROM ${t} WHERE substr(id, 1, $3) = $2 ORDER BY number LIMIT 2`,
    due: `UPDATE ${t} SET due_ms = $2 WHERE ${numbers('$1')} AND state = 'due' AND holder IS NULL`,
    hasten: `UPDATE ${t} SET due_ms = $3 WHERE kind = $1 AND key ${among(`SELECT ${only('text')} FROM ${each('$2')}`)} AND state = 'due' AND holder IS NULL AND due_ms > $3`,
    givenUpOnes: locked(`${numbers('$1')} AND state = 'given-up'`),
    again: `INSERT INTO ${t} (id, kind, key, in_order, due_ms, left_ms, payload, context, steps, error)
      SELECT id, kind, key, in_order, CAST($2 AS bigint), left_ms, payload, context, steps, error FROM ${t} WHERE ${numbers('$1')} ORDER BY number`,
    idle: `SELECT number, kind, key, in_order, error FROM ${t} WHERE ${numbers('$1')} AND state <> 'given-up' AND (holder IS NULL OR due_ms <= $2) ORDER BY number${lock}`,
    newest: `DELETE FROM ${t} WHERE number IN (SELECT number FROM ${t} WHERE kind = $1 AND state = 'given-up' ORDER BY number DESC LIMIT ${removedMax} OFFSET $2)`,
    oldGivenUp: `DELETE FROM ${t} WHERE number IN (SELECT e.number FROM ${t} AS e WHERE e.state = 'given-up' AND e.due_ms < $1
      AND NOT EXISTS (SELECT 1 FROM ${jobsTable} AS j WHERE j.id = e.id) LIMIT ${removedMax})`,
  }
}

export const textsOf = textsOfDialect(statementsOf)
export type EffectStatements = ReturnType<typeof textsOf>
