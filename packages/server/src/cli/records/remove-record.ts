/**
 * `bindery remove RESOURCE ID`: removes one record as DELETE would, in one transaction, with any
 * number of dependent records. HTTP refuses large removals, because they block other writes.
 */
import type { Command } from 'commander'
import { permitAtConsole } from '../../command/console-records.ts'
import { findResource } from '../../command/find-resource.ts'
import type { DeleteOperation } from '../../operation/operation.ts'
import { type CommandContext, withEngine } from '../console.ts'

type RemoveOptions = { readonly dryRun?: boolean }

/** Rolls the transaction of a dry run back. */
class DryRunRollback extends Error {}

async function remove(cli: CommandContext, [word, id]: readonly [string, string], { dryRun = false }: RemoveOptions) {
  const resource = await withEngine(cli, async (engine) => {
    const { perform } = await import('../../perform/perform.ts')
    const found = findResource(engine.catalog, word)
    const operation: DeleteOperation = {
      kind: 'delete',
      resource: found,
      under: undefined,
      select: null,
      id,
      ifVersion: undefined,
      shows: false,
    }
    const permitted = permitAtConsole(engine, operation)
    const beforeCommit = async () => {
      if (dryRun) throw new DryRunRollback()
    }
    await perform({ ...engine, beforeCommit, isDryRun: dryRun }, permitted).catch((error: unknown) => {
      if (!(error instanceof DryRunRollback)) throw error
    })
    return found
  })
  if (cli.output.json) return cli.output.value({ removed: id, dryRun })
  await cli.output.write(dryRun ? `${resource.label} ${id} can be removed.\n` : `${resource.label} ${id} removed.\n`)
}

export function addRemove(program: Command, cli: CommandContext): void {
  program
    .command('remove')
    .description('remove one record and what goes with it, however much')
    .argument('<resource>', 'such as users')
    .argument('<id>', 'of the record')
    .option('--dry-run', 'try it, and keep everything')
    .addHelpText(
      'after',
      '\nIt is one transaction: while it runs (some 20,000 records a second) a server with the embedded database writes nothing.\n\nExamples:\n  $ bindery remove users 01a20a6f-0e48-72c1-8d2f-bb66b83ff11a --dry-run',
    )
    .action((resource: string, id: string, options: RemoveOptions) => remove(cli, [resource, id], options))
}
