/**
 * `bindery migrate`: migrates the database to the current declarations before a server does, or only lists the steps. A server does the
 * same at start; here the steps are shown, and a deployment can stop when data would be lost.
 */
import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import type { Step } from '../storage/model/migration.ts'
import { type Cli, loadCatalog } from './console.ts'

/** `add column products.stock (integer)` */
export function describeStep(step: Step): string {
  const what = step.kind.replace('-', ' ')
  switch (step.kind) {
    case 'create-table':
      return `${what} ${step.table.name} (${step.table.columns.length} columns)`
    case 'add-column':
      return `${what} ${step.table}.${step.column.name} (${step.column.type})`
    case 'drop-column':
    case 'allow-null':
      return `${what} ${step.table}.${step.column}`
    case 'create-index':
      return `${what} ${step.index.name} on ${step.table} (${step.index.columns.join(', ')})`
    case 'drop-index':
      return `${what} ${step.index} of ${step.table}`
    case 'create-search':
    case 'drop-search':
      return `${what} of ${step.table.name}`
    case 'refill':
      return `${what} folded and searched texts of ${step.table}`
  }
}

export function addMigrate(program: Command, cli: Cli): void {
  program
    .command('migrate')
    .description('bring the database to the declarations of today')
    .option('--dry-run', 'only list what would be done')
    .addHelpText(
      'after',
      '\nWhat would lose data is refused, with the exact change; then nothing has changed and the exit code is 1.\n\nExamples:\n  $ bindery migrate --dry-run\n  $ bindery migrate --json | jq -r .steps[]',
    )
    .action(async ({ dryRun = false }: { dryRun?: boolean }) => {
      const { migrateStorage } = await import('../storage/open.ts')
      const taken = await migrateStorage(readConfig().database, await loadCatalog(cli), { dryRun })
      const steps = taken.map(describeStep)
      if (cli.output.json) return cli.output.value({ dryRun, steps })
      await cli.output.write(steps.map((step) => `${step}\n`).join(''))
      const count = `${steps.length} ${steps.length === 1 ? 'step' : 'steps'}`
      if (steps.length === 0) cli.output.note('The database fits the declarations; there is nothing to do.')
      else cli.output.note(dryRun ? `${count} to take; nothing was changed.` : `${count} taken.`)
    })
}
