/**
 * Failures of each statement around the members of a commit group. Every write gets an outcome, a
 * refused one stores nothing, and later ones go on. While no write can be stored, the check says
 * so.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { removeFolder, temporaryFolder } from 'bindery-server/test'
import { ApiError } from '../../src/errors.ts'
import { always } from '../../src/resource/condition.ts'
import { openSqlite } from '../../src/storage/sqlite/store.ts'
import type { Storage, Transaction } from '../../src/storage/storage.ts'
import { by, libraryCatalog, shelf, tester } from './library.ts'

type Fault = {
  /** The text of the statement. */
  readonly sql: RegExp
  /** Whether its failure keeps every write from being stored. */
  readonly isNeeded?: boolean
}

const faults: Record<string, Fault> = {
  BEGIN: { sql: /BEGIN IMMEDIATE$/, isNeeded: true },
  'what sets the time to wait again': { sql: /^PRAGMA busy_timeout = \d+$/, isNeeded: true },
  SAVEPOINT: { sql: /^SAVEPOINT member$/ },
  'ROLLBACK TO': { sql: /^ROLLBACK TO member$/ },
  RELEASE: { sql: /^RELEASE member$/ },
  ROLLBACK: { sql: /^ROLLBACK$/ },
  COMMIT: { sql: /^COMMIT$/, isNeeded: true },
  'ROLLBACK after COMMIT': { sql: /^(ROLLBACK|COMMIT)$/, isNeeded: true },
  'BEGIN of those who read': { sql: /^BEGIN$/ },
}

/** Makes statements fail in this process, for as long as it returns true. */
function failStatements(isFailing: (sql: string) => boolean): () => void {
  const { exec } = DatabaseSync.prototype
  const { run } = StatementSync.prototype
  const check = (sql: string) => {
    if (isFailing(sql)) throw new Error('a fault of the test')
  }
  DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string) {
    check(sql)
    return exec.call(this, sql)
  }
  StatementSync.prototype.run = function (this: StatementSync, ...parameters: unknown[]) {
    check(this.sourceSQL)
    return run.apply(this, parameters as never)
  } as typeof run
  return () => {
    DatabaseSync.prototype.exec = exec
    StatementSync.prototype.run = run
  }
}

for (const heldMs of [0, 5])
  describe(heldMs === 0 ? 'in one of several processes' : 'in the only process', () => {
    let folder: string
    let storage: Storage
    let heal: () => void
    beforeEach(async () => {
      folder = temporaryFolder()
      storage = await openSqlite(join(folder, 'test.db'), libraryCatalog, { heldMs })
      heal = () => undefined
    })
    afterEach(async () => {
      heal()
      await storage.close()
      removeFolder(folder)
    })

    const run = (work: (transaction: Transaction) => Promise<unknown>) => storage.transaction(tester, work)
    const add = (label: string) => run((transaction) => transaction.insert(shelf, { label }))
    const failing = (label: string) =>
      run(async (transaction) => {
        await transaction.insert(shelf, { label })
        throw new Error('its own')
      })
    const outcomeOf = (asked: Promise<unknown>): Promise<string> =>
      asked.then(
        () => 'stored',
        (error) => {
          if (!(error instanceof ApiError)) return (error as Error).message
          assert.equal(error.code, 'unavailable')
          assert.equal(error.message, 'The database cannot be written, nothing was changed')
          return 'refused'
        },
      )
    const storedLabels = async () => {
      const rows = await storage.list(shelf, { where: always, sort: by('label'), limit: 1000 })
      return rows.map(({ label }) => label)
    }

    /**
     * Writes in one group, two of which fail. Returns the labels that the storage reported as
     * stored, and the outcomes of the others.
     */
    async function writeTogether(prefix: string): Promise<{ stored: string[]; outcomes: string[] }> {
      const labels = [1, 2, 3, 4, 5].map((n) => `${prefix}${n}`)
      const work = labels.map((label, i) => (i % 2 === 1 ? failing(label) : add(label)))
      const outcomes = await Promise.all(work.map(outcomeOf))
      return { stored: labels.filter((_, i) => outcomes[i] === 'stored'), outcomes }
    }

    for (const [name, { sql, isNeeded = false }] of Object.entries(faults)) {
      test(`${name} fails once: later writes go on`, async () => {
        let failed = 0
        heal = failStatements((text) => sql.test(text) && failed++ === 0)
        const first = await writeTogether('a')
        const second = await writeTogether('b')
        heal()
        assert.ok(failed > 0 || sql.source === '^BEGIN$', 'it was asked for')
        for (const outcome of first.outcomes) assert.match(outcome, /^(stored|refused|its own)$/)
        assert.deepEqual(second.outcomes, ['stored', 'its own', 'stored', 'its own', 'stored'])
        assert.deepEqual(await storedLabels(), [...first.stored, ...second.stored])
        assert.equal(await storage.check(), 'ok')
      })

      test(`${name} fails until it no longer does`, async () => {
        heal = failStatements((text) => sql.test(text))
        const first = await writeTogether('a')
        const second = await writeTogether('b')
        if (isNeeded) {
          assert.deepEqual([...first.stored, ...second.stored], [])
          // or it throws, where reads cannot begin either
          assert.notEqual(await storage.check().catch(() => 'unreadable'), 'ok')
        }
        heal()
        const third = await writeTogether('c')
        assert.equal(third.stored.length, 3)
        assert.deepEqual(await storedLabels(), [...first.stored, ...second.stored, ...third.stored])
        assert.equal(await storage.check(), 'ok')
      })
    }
  })
