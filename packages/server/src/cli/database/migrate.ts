/**
 * `bindery migrate`: migrates the database to the current declarations, or shows the steps alone. A
 * server does the same at start. With the command, you see the steps, and a deployment can stop
 * before data would be lost.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { Output } from '../../command/output.ts'
import { type Config, readConfig } from '../../config.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { lossFileIn } from '../../storage/migrate/loss-file.ts'
import type { MigrateOptions } from '../../storage/migrate/migrate-options.ts'
import type { MigrationStep } from '../../storage/migrate/steps.ts'
import { type CommandContext, loadDocumented } from '../console.ts'
import { describeReversal, reversalOf } from './reversal.ts'
import { describeStep } from './step-words.ts'

type MigrateFlags = {
  readonly dryRun?: boolean
  readonly plan?: boolean
  readonly rehearse?: boolean
  readonly checks?: boolean
  readonly contract?: boolean
  readonly allowLoss?: string
}
type MigrateWork = {
  readonly output: Output
  readonly config: Config
  readonly catalog: Catalog
  readonly options: MigrateOptions
}

function counted(count: number): string {
  return `${count} ${count === 1 ? 'step' : 'steps'}`
}

const fits = 'The database fits the declarations; there is nothing to do.'

async function show(
  { output }: MigrateWork,
  steps: readonly MigrationStep[],
  end: (count: string) => string,
): Promise<void> {
  await output.write(steps.map((step) => `${describeStep(step)}\n`).join(''))
  if (steps.length === 0) output.note(fits)
  else output.note(end(counted(steps.length)))
}

function noteLater({ output }: MigrateWork, later: readonly MigrationStep[]): void {
  if (later.length === 0) return
  output.note(
    `${later.length === 1 ? 'One step waits' : `${counted(later.length)} wait`} until no instance of the version before is connected: a start then takes them, or bindery migrate --contract`,
  )
  for (const step of later) output.note(`  ${describeStep(step)}`)
}

/** `dryRun` shows the steps alone; the other also shows the SQL of this database. */
async function plan(work: MigrateWork, dryRun: boolean): Promise<void> {
  const { planStorage } = await import('../../storage/open.ts')
  const { output, config, catalog, options } = work
  const { steps, later, sql, notes } = await planStorage(config.database, catalog, options)
  const told = notes.length > 0 && { notes }
  if (output.json && dryRun) return output.value({ dryRun, steps: steps.map(describeStep), ...told })
  const shown = sql.map((one) => ({
    step: describeStep(one.step),
    sql: one.sql,
    waits: later.includes(one.step),
    wayBack: reversalOf(one.step),
    comment: describeReversal(one.step),
  }))
  if (output.json) return output.value({ steps: shown.map(({ comment: _, ...one }) => one), ...told })
  for (const note of notes) output.note(note)
  if (dryRun) {
    await show(work, steps, (count) => `${count} to take; nothing was changed.`)
    return noteLater(work, later)
  }
  for (const one of shown)
    await output.write(
      `${one.step}${one.waits ? ' (waits until no instance of the version before is connected)' : ''}\n${one.sql.map((text) => `    ${text};\n`).join('')}    ${one.comment}\n`,
    )
  output.note(shown.length === 0 ? fits : 'Nothing was changed.')
}

/** The stored records that break a check, a line each. */
async function listBroken({ output, config, catalog, options }: MigrateWork): Promise<void> {
  const { planStorage } = await import('../../storage/open.ts')
  const { broken } = await planStorage(config.database, catalog, { ...options, recount: true })
  const shown = broken.map(({ resource, name, count, ids }) => ({ resource: resource.name, check: name, count, ids }))
  if (output.json) return output.value({ broken: shown })
  for (const { resource, check, ids } of shown)
    await output.write(ids.map((id) => `${resource}\t${id}\t${check}\n`).join(''))
  for (const { resource, check, count, ids } of shown) {
    if (count === undefined) output.note(`${resource} ${check}: its columns are missing; bindery migrate makes them`)
    else if (count > ids.length) output.note(`${resource} ${check}: the first ${ids.length} of ${count} records`)
  }
  if (shown.length === 0) output.note('Every record satisfies the checks of its declaration.')
}

async function rehearse({ output, config, catalog, options }: MigrateWork): Promise<void> {
  const { rehearseMigration } = await import('../../storage/open.ts')
  const folder = mkdtempSync(join(tmpdir(), 'bindery-rehearsal-'))
  try {
    const losses = { folder, stamp: 'rehearsal' }
    const { steps, ms } = await rehearseMigration(config.database, catalog, { ...options, losses, contract: true })
    const seconds = Math.round(ms) / 1000
    if (output.json) return output.value({ steps: steps.map(describeStep), seconds })
    await output.write(steps.map((step) => `${describeStep(step)}\n`).join(''))
    output.note(
      `${counted(steps.length)} taken on a copy in ${seconds} s. The copy is gone, and nothing else was changed.`,
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function take(work: MigrateWork): Promise<void> {
  const { migrateStorage } = await import('../../storage/open.ts')
  const { output, config, catalog, options } = work
  const steps = await migrateStorage(config.database, catalog, options)
  if (output.json) return output.value({ dryRun: false, steps: steps.map(describeStep) })
  await show(work, steps, (count) => `${count} taken.`)
}

const examples = `
What would lose data is refused, with the exact change and the records; then nothing has changed and the exit code is 1.
What --allow-loss drops is first written to a file lost-….ndjson in DATA_DIR.

A declaration says what became of what is stored:
  renamedFrom: 'cover'              the name that a field or a resource had
  renamedFrom: { BACK: 'RETURNED' } a word of a choice or a state: the earlier one, then the one of today
  backfill: 'none'          the value of records without one; or made from each record: (row) => …
  convert: (value) => …     values of another type; money is in minor units

Examples:
  $ bindery migrate --dry-run
  $ bindery migrate --plan --json | jq -r '.steps[].sql[]'
  $ bindery migrate --rehearse
  $ bindery migrate --checks
  $ bindery migrate --allow-loss product.coverUrl,review`

export function addMigrate(program: Command, cli: CommandContext): void {
  program
    .command('migrate')
    .description('bring the database to the declarations of today')
    .option('--dry-run', 'only list what would be done')
    .option('--plan', 'the same with the SQL of this database, and the way back of each step')
    .option('--rehearse', 'do it on a copy, and say how long it took')
    .option('--checks', 'only list the stored records that break a check, or refer to a record of another tenant')
    .option('--contract', 'also take the steps that the version before cannot live with, even while it is connected')
    .option('--allow-loss <list>', 'fields and resources that may be dropped: product.coverUrl,review')
    .addHelpText('after', examples)
    .action(async (flags: MigrateFlags) => {
      const { output } = cli
      const config = readConfig()
      const losses = lossFileIn(config.dataDir, Date.now(), output.note)
      const allowed = flags.allowLoss?.split(',').map((one) => one.trim()) ?? []
      const { catalog, settings } = await loadDocumented(cli)
      const { storedChecks } = await import('../../record/declared/stored-checks.ts')
      const checks = storedChecks({ catalog, settings, now: new Date().toISOString() })
      const options = { allowed, losses, contract: flags.contract ?? false, report: output.note, checks }
      const work: MigrateWork = { output, config, catalog, options }
      if (flags.checks) return listBroken(work)
      if (flags.rehearse) return rehearse(work)
      return flags.plan || flags.dryRun ? plan(work, flags.plan !== true) : take(work)
    })
}
