/**
 * Inspects the schema of both databases: whether the tables match the declarations, and whether the
 * database still has what its stored model lists.
 */
import { StartError } from '../errors.ts'
import type { Catalog } from '../resource/catalog.ts'
import { ownTables } from './changes.ts'
import { type Findings, named } from './finding.ts'
import { type MigrationStep, tableNameOf } from './migrate/steps.ts'
import { findDrift, type PresentSchema, undeclared } from './model/drift.ts'
import type { SchemaModel } from './model/model.ts'

export type InspectedSchema = {
  readonly catalog: Catalog
  /** The mark of a copy into the database that has not completed. */
  readonly mark: string | undefined
  readonly remembered: SchemaModel | undefined
  readonly present: PresentSchema
  sqlOf(step: MigrationStep, remembered: SchemaModel): readonly string[]
  /** A command that runs a statement on this database. */
  run(sql: string): string
  /** The steps of the next start. Throws `StartError` where the start would. */
  pending(): Promise<readonly MigrationStep[]>
}

const upgrade = 'Upgrade it: take a backup (bindery backup FOLDER), then bindery migrate, or start this version'

/**
 * A database with only some of these is an earlier version's, or another program dropped one. The
 * next start creates them in either case.
 */
function tellMissing({ about }: Findings, missing: readonly string[]): void {
  const what =
    'an earlier version of Bindery left this database, or something else dropped tables of the service: the next start makes them'
  if (missing.length > 0) about('schema', named(missing)).warn(what, upgrade)
}

function tellUnknown({ about }: Findings, unknown: readonly string[]): void {
  const names = [...new Set(unknown.map((one) => one.split('.')[0]))].join()
  about('schema', named(unknown)).bad(
    'the database has what the declarations do not: a newer version of the application made it, or they were cut down',
    `Start the version that made it. To drop it instead: bindery migrate --dry-run says by which name, --allow-loss ${names} drops it`,
  )
}

/**
 * The stored model; undefined, with a finding, where the tables cannot be compared with the
 * declarations.
 */
function comparable({ about }: Findings, { mark, remembered }: InspectedSchema): SchemaModel | undefined {
  if (mark !== undefined) {
    const { from, begunAt } = JSON.parse(mark) as { readonly from: string; readonly begunAt: string }
    about('unfinished copy', 'bindery_meta').bad(
      `a copy from ${from}, begun ${begunAt}, is going on or was interrupted: nothing starts on it`,
      'Wait for its end, or run the same copy again; to begin anew, take an empty database',
    )
    return undefined
  }
  if (!remembered)
    about('schema', 'bindery_meta').bad(
      'the database does not say what it holds',
      'If this is no database of Bindery, correct DATABASE_URL; in an empty one the first start makes the tables',
    )
  return remembered
}

/** Returns the model of the tables, for the checks that follow; undefined where there is none. */
export async function inspectSchema(findings: Findings, schema: InspectedSchema): Promise<SchemaModel | undefined> {
  const { about, add } = findings
  const { catalog, present, run } = schema
  const remembered = comparable(findings, schema)
  if (!remembered) return undefined
  const missing = ownTables.filter((name) => !present.has(name))
  tellMissing(findings, missing)
  const unknown = undeclared(remembered, catalog)
  const drift = findDrift({ remembered, present, run, sqlOf: (step) => schema.sqlOf(step, remembered) })
  for (const finding of drift) add(finding)
  if (unknown.length > 0) {
    tellUnknown(findings, unknown)
    return remembered
  }
  // Then no start reaches its plan
  if (drift.some(({ check }) => check === 'schema')) return remembered
  try {
    const steps = await schema.pending()
    if (steps.length > 0)
      about('schema', named([...new Set(steps.map(tableNameOf))])).warn(
        `the next start takes ${steps.length} ${steps.length === 1 ? 'step' : 'steps'} to bring it to the declarations`,
        `${upgrade}. See the steps: bindery migrate --plan`,
      )
    else if (drift.length + missing.length === 0) about('schema', 'all tables').ok('as declared, with every index')
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    about('schema', 'declarations').bad(error.message, 'Do what it says: no server starts before')
  }
  return remembered
}
