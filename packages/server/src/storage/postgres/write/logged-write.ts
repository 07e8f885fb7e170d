/** A write and its row in the change log, in one statement: the log costs no extra round trip. */
import { boundedCache } from '../../../base/bounded-cache.ts'
import type { Scalar } from '../../../resource/condition.ts'
import { type Author, type Change, changesTable, storedCredential, type WrittenRecord } from '../../changes.ts'
import type { LogPlace } from '../../derived/kept-log.ts'
import { detailText } from '../../sql/logged-values.ts'
import type { Executor } from '../../sql/reader.ts'
import type { Statement } from '../../sql/statements.ts'
import { type LoggedWrite, seenBy } from '../../sql/transaction.ts'
import { nextSequenceSql, settlesSql } from './kept-rows.ts'

/** A change that this process wrote, with the id of its transaction. */
export type OwnedChange = Change & { readonly transaction: bigint }

const textsMax = 2000

const rowColumns = 'at_ms, resource, kind, id, version, records, user_id, credential, detail'
const returning = 'RETURNING sequence, xid, settles'

/**
 * The rows of the log are read from `from`. A row of the kept log gets a place there. Its number is
 * drawn when the statement has its locks.
 */
const insertOf = (cells: string, from: string) =>
  `INSERT INTO ${changesTable} (${rowColumns}) SELECT ${cells} FROM ${from} ${returning}`
const keptInsertOf = (cells: string, from: string) =>
  `INSERT INTO ${changesTable} (sequence, settles, ends, ${rowColumns}) OVERRIDING SYSTEM VALUE
    SELECT a.n, ${settlesSql}, a.n, ${rowColumns} FROM (SELECT ${nextSequenceSql} AS n, w.* FROM (SELECT ${cells} FROM ${from}) AS w(${rowColumns})) AS a ${returning}`

const manyIds = `CASE WHEN count(*) = 1 THEN min(w.id::text) END, CASE WHEN count(*) = 1 THEN min(w.version) END,
      CASE WHEN count(*) > 1 THEN json_agg(json_build_array(w.id, w.version))::text END`

/**
 * `sql` returns the id and version of each row that it writes, and has this many parameters. A
 * statement that writes one row at most does without aggregates, which take half of its time.
 */
function loggedSql({ sql, parameters }: Statement, isKept: boolean, isOne: boolean): string {
  const [atMs, resource, kind, userId, credential, detail] = [1, 2, 3, 4, 5, 6].map((n) => `$${parameters.length + n}`)
  const ids = isOne ? 'w.id::text, w.version, NULL::text' : manyIds
  const cells = `${atMs}::bigint, ${resource}::text, ${kind}::text, ${ids}, ${userId}::text, ${credential}::text, ${detail}::text`
  const log = (isKept ? keptInsertOf : insertOf)(cells, isOne ? 'w' : 'w HAVING count(*) > 0')
  return `WITH w(id, version) AS (${sql}), l AS (${log})
  SELECT w.id, w.version, l.sequence, l.xid::text, l.settles::text FROM w, l`
}

/**
 * Runs a statement that returns the id and the version of each row it writes, and adds a row about
 * them to the log.
 */
export type LogStatement = (statement: Statement, about: LoggedWrite) => Promise<readonly WrittenRecord[]>

/**
 * Makes the writes of one transaction by one author. `note` takes the changes that readers get
 * after the commit.
 */
export type LoggedWrites = (executor: Executor, author: Author, note: (written: OwnedChange) => void) => LogStatement

function keptFacts(place: LogPlace, { requestId }: Author): Pick<Change, 'place' | 'requestId'> {
  return { place, ...(requestId !== undefined && { requestId }) }
}

export function makeLoggedWrites(): LoggedWrites {
  const known = () => boundedCache<string, string>({ entriesMax: textsMax })
  const [ofOne, ofMany] = [known(), known()]

  /** A statement writes to one table, so its rows are always kept, or never. */
  function textOf(statement: Statement, isKept: boolean, isOne: boolean): string {
    const texts = isOne ? ofOne : ofMany
    const text = texts.get(statement.sql) ?? loggedSql(statement, isKept, isOne)
    texts.set(statement.sql, text)
    return text
  }

  return (executor, author, note) => async (statement, about) => {
    const { resource, kind, isOne = false } = about
    const { userId } = author
    const credential = storedCredential(author)
    const atMs = Date.now()
    const cells = await executor.all({
      sql: textOf(statement, resource.loggedNames !== undefined, isOne),
      parameters: [...statement.parameters, atMs, resource.name, kind, userId, credential, detailText(about, author)],
    })
    const records = cells.map(([id, version]) => ({ id: id as Scalar, version: version as number }))
    const [first] = cells
    if (first) {
      const [, , sequence, xid, settles] = first as [unknown, unknown, number, string, string | null]
      const said = { resource: resource.name, kind, records, userId, credential, atMs }
      const kept = settles === null ? undefined : keptFacts(`${settles} ${sequence}`, author)
      note({ sequence, ...said, ...seenBy(about, records), transaction: BigInt(xid), ...kept })
    }
    return records
  }
}
