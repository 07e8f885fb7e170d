/** What both databases are asked about their tables: whether they are those of the declarations, and whether what they remember is there. */
import { StartError } from '../errors.ts'
import type { Catalog } from '../resource/catalog.ts'
import { type Finding, type Findings, named } from './finding.ts'
import { type Step, tableNameOf } from './migrate/steps.ts'
import { findDrift, type Present, undeclared } from './model/drift.ts'
import type { Model } from './model/model.ts'
import { ownTables } from './sql/change-rows.ts'

export type Schema = {
  readonly catalog: Catalog
  /** The mark of a copy into the database that has not completed. */
  readonly mark: string | undefined
  readonly remembered: Model | undefined
  readonly present: Present
  sqlOf(step: Step, remembered: Model): readonly string[]
  /** A command that runs a statement on this database. */
  run(sql: string): string
  /** What the next start would do. Throws `StartError` where it would. */
  pending(): Promise<readonly Step[]>
}

const upgrade = 'Upgrade it: take a backup (bindery backup FOLDER), then bindery migrate, or start this version'

function describePlan(steps: readonly Step[]): Finding {
  return {
    level: 'warn',
    check: 'schema',
    where: named([...new Set(steps.map(tableNameOf))]),
    what: `the next start takes ${steps.length} ${steps.length === 1 ? 'step' : 'steps'} to bring it to the declarations`,
    todo: `${upgrade}. See the steps: bindery migrate --plan`,
  }
}

/**
 * Where only a part of these is there, it is an earlier version's, or something else dropped one. A
 * start makes them in any case.
 */
function describeLess(missing: readonly string[]): Finding {
  return {
    level: 'warn',
    check: 'schema',
    where: named(missing),
    what: 'an earlier version of Bindery left this database, or something else dropped tables of the service: the next start makes them',
    todo: upgrade,
  }
}

function describeUnknown(unknown: readonly string[]): Finding {
  const names = [...new Set(unknown.map((one) => one.split('.')[0]))].join()
  return {
    level: 'bad',
    check: 'schema',
    where: named(unknown),
    what: 'the database has what the declarations do not: a newer version of the application made it, or they were cut down',
    todo: `Start the version that made it. To drop it instead: bindery migrate --dry-run says by which name, --allow-loss ${names} drops it`,
  }
}

/** Why the tables cannot be compared with the declarations at all. */
function describeStranger({ mark, remembered }: Schema): Finding | undefined {
  if (mark !== undefined) {
    const { from, begunAt } = JSON.parse(mark) as { readonly from: string; readonly begunAt: string }
    return {
      level: 'bad',
      check: 'unfinished copy',
      where: 'bindery_meta',
      what: `a copy from ${from}, begun ${begunAt}, is going on or was interrupted: nothing starts on it`,
      todo: 'Wait for its end, or run the same copy again; to begin anew, take an empty database',
    }
  }
  if (remembered) return undefined
  return {
    level: 'bad',
    check: 'schema',
    where: 'bindery_meta',
    what: 'the database does not say what it holds',
    todo: 'If this is no database of Bindery, correct DATABASE_URL; in an empty one the first start makes the tables',
  }
}

/** Returns the model of the tables, where there is one to go on with. */
export async function inspectSchema({ add }: Findings, schema: Schema): Promise<Model | undefined> {
  const stranger = describeStranger(schema)
  if (stranger) add(stranger)
  const { catalog, remembered, present, run } = schema
  if (stranger || !remembered) return undefined
  const missing = ownTables.filter((name) => !present.has(name))
  if (missing.length > 0) add(describeLess(missing))
  const unknown = undeclared(remembered, catalog)
  const drift = findDrift({ remembered, present, run, sqlOf: (step) => schema.sqlOf(step, remembered) })
  for (const finding of drift) add(finding)
  if (unknown.length > 0) {
    add(describeUnknown(unknown))
    return remembered
  }
  // Then no start gets as far as a plan
  if (drift.some(({ check }) => check === 'schema')) return remembered
  try {
    const steps = await schema.pending()
    if (steps.length > 0) add(describePlan(steps))
    else if (drift.length + missing.length === 0)
      add({ level: 'ok', check: 'schema', where: 'all tables', what: 'as declared, with every index' })
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    add({
      level: 'bad',
      check: 'schema',
      where: 'declarations',
      what: error.message,
      todo: 'Do what it says: no server starts before',
    })
  }
  return remembered
}
