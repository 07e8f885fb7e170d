/**
 * `bindery copy --from … --to …`: copies all stored data unchanged into an empty database of any
 * kind, and compares both. It is all or nothing: after an interruption the target is empty, and the
 * command can run again.
 */
import type { Command } from 'commander'
import { UsageError } from '../../command/usage-error.ts'
import { StartError } from '../../errors.ts'
import { sayings } from '../../service/features.ts'
import type { ConfiguredDatabase } from '../../storage/database-kind.ts'
import {
  addressForms,
  copyStorage,
  databaseKinds,
  describeDatabase,
  isSameDatabase,
  parseDatabase,
} from '../../storage/open.ts'
import { type CommandContext, loadCatalog } from '../console.ts'
import { makeCopyProgress, printCompared, reportingDifference } from '../terminal/copy-progress.ts'
import { formatSeconds } from '../terminal/progress.ts'

type CopyFlags = { readonly from: string; readonly to: string }

/** The `UsageError` does not show the address, which may contain a password. */
function databaseOf(option: string, text: string): ConfiguredDatabase {
  try {
    if (text === '') throw new StartError('DATABASE_URL must not be empty')
    return parseDatabase({ DATABASE_URL: text }, '')
  } catch (error) {
    if (error instanceof StartError) throw new UsageError(error.message.replace('DATABASE_URL', option))
    throw error
  }
}

async function run(cli: CommandContext, options: CopyFlags): Promise<void> {
  const from = databaseOf('--from', options.from)
  const to = databaseOf('--to', options.to)
  if (isSameDatabase(from, to)) throw new UsageError('--from and --to are the same database')
  const watch = makeCopyProgress({ label: 'copy', passes: 2, quiet: cli.output.json, stopped: 'nothing was copied' })
  const catalog = await loadCatalog(cli)
  const tables = await reportingDifference(cli.output, () => copyStorage({ from, to }, catalog, watch)).finally(() =>
    watch.end(),
  )
  const rows = tables.reduce((sum, { source }) => sum + source.rows, 0)
  const ends = { from: describeDatabase(from), to: describeDatabase(to) }
  if (cli.output.json) return cli.output.value({ ...ends, same: true, rows, seconds: watch.seconds(), tables })
  await cli.output.write(printCompared(tables))
  cli.output.note(
    `${rows} rows of ${tables.length} tables copied from ${ends.from} to ${ends.to}, and both are the same`,
  )
  cli.output.note(`In ${formatSeconds(watch.seconds())}; all values were compared: counts, and SHA-256 by id`)
  if (catalog.files)
    cli.output.note(
      'The bytes of files are not in a database, and stay where they are: give both the same FILES_STORE, and stop one',
    )
  cli.output.note(
    `The secret of access tokens is not copied. Set JWT_SECRET to the same value on both sides, or people need a refresh to stay logged in. A generated one of the source is ${from.kind.secretAt}`,
  )
}

export function addCopy(program: Command, cli: CommandContext): void {
  const advice = databaseKinds.flatMap((kind) => kind.advice ?? [])
  const examples = databaseKinds.map(({ example }) => example)
  program
    .command('copy')
    .description('copy all data into an empty database, of the same kind or another, and compare both')
    .requiredOption('--from <address>', `the source: ${addressForms}`)
    .requiredOption('--to <address>', 'the target, an empty database; a file that is missing is made')
    .addHelpText(
      'after',
      `
Everything that is stored, exactly as it is: ids, versions, times, ${sayings('copied')}. Not copied:
${sayings('notCopied')}.

The source is read as it is at the start. What a running server writes to it after that is not in the copy: stop the server
first if nothing may be missing. The target takes all or nothing; what was interrupted is simply run again, and until then no
server starts on the target. ${advice.join(' ')}

Examples:
  $ bindery copy --from ${examples.at(0)} --to ${examples.at(-1)}
  $ bindery copy --from ${examples.at(-1)} --to ${examples.at(0)} --json`,
    )
    .action((options: CopyFlags) => run(cli, options))
}
