/**
 * `bindery import`: chooses between a resource from NDJSON or CSV, and a whole database from a file
 * of `export --all`.
 */
import { type Command, Option } from 'commander'
import { UsageError } from '../../command/usage-error.ts'
import { sayings } from '../../service/features.ts'
import type { CommandContext } from '../console.ts'
import { formats } from '../lines/format.ts'
import type { ImportFlags } from '../lines/import-resource.ts'

type ImportAllFlags = ImportFlags & { all?: string; map: readonly string[]; leaveOut: readonly string[] }
type ImportChoice = {
  readonly word: string | undefined
  readonly file: string | undefined
  readonly options: ImportAllFlags
}

/** Throws `UsageError` for options that exclude each other. */
async function choose(cli: CommandContext, { word, file, options }: ImportChoice): Promise<void> {
  const { all, map, leaveOut, ...rest } = options
  if (all === undefined) {
    if (map.length + leaveOut.length > 0) throw new UsageError('--map and --leave-out go with --all')
    if (word === undefined)
      throw new UsageError("missing required argument 'resource', or --all <file> for a whole database")
    const { importResource } = await import('../lines/import-resource.ts')
    return importResource(cli, { word, file, options: rest })
  }
  if (word !== undefined || Object.keys(rest).length > 0)
    throw new UsageError('--all is the whole database: it goes with --map and --leave-out alone')
  const { importAll } = await import('./import-all.ts')
  return importAll(cli, { file: all, map, leaveOut })
}

export function addImport(program: Command, cli: CommandContext): void {
  const collect = (value: string, before: readonly string[]) => [...before, value]
  program
    .command('import')
    .description('read NDJSON or CSV into a resource, or a whole database; a line with the id of a record changes it')
    .argument('[resource]', 'for example products')
    .argument('[file]', 'standard input when absent or -')
    .addOption(
      new Option('--format <format>', 'by the extension unless said; NDJSON on standard input').choices(formats),
    )
    .option('--rejects <file>', 'where bad lines go with their reasons (default: <file>.rejects.ndjson)')
    .option('--from-line <number>', 'skip the lines before, to go on where an import stopped')
    .option('--match <fields>', 'find the record of a line by what is unique, such as sku; without, by its id')
    .option('--dry-run', 'say what would be created, updated and rejected, on a copy; nothing is written')
    .option('--all <file>', 'a file of export --all, into an empty database; - for standard input')
    .option('--map <old=new>', 'with --all: what is called otherwise now, such as loan.cover=coverUrl', collect, [])
    .option('--leave-out <name>', 'with --all: a resource or field that is not brought along', collect, [])
    .addHelpText(
      'after',
      `
Good lines go in and stay in, whatever the others are; the exit code is 1 when any was rejected. Each line of the rejects
file is {"line", "error", "text"}.

CSV has a header row of field names. An empty cell is null, or absent for what the server sets; "" is the empty text. A list is
JSON or a;b, money is a decimal, booleans are true and false. Ids and times of an export are restored. ${sayings('importedWithout')}

--match updates the record with that key, or creates one. A record that a line refers to may be named by what is unique in it:
the column branch.name in CSV, "branch.name" or "branch": {"name": …} in NDJSON. It may be made by a later line of the file.

--all takes all or nothing, compares everything at the end, and keeps ids, versions and times. What was interrupted is simply
run again; until then no server starts on the database. What the declarations do not know is refused: --map book.cover=coverUrl
for a field, --map book=volume for a resource, --map book.state.LENT=OUT for a word of a choice.

Examples:
  $ bindery import products products.csv
  $ bindery import posts --format csv --rejects bad.ndjson < posts.csv
  $ bindery import products products.csv --match sku --dry-run
  $ bindery import --all house.ndjson.gz
  $ jq -r .text products.ndjson.rejects.ndjson > again.ndjson   # mend it, then import it`,
    )
    .action((word: string | undefined, file: string | undefined, options: ImportAllFlags) =>
      choose(cli, { word, file, options }),
    )
}
