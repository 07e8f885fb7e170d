/**
 * `bindery files`: the files of records go from one store into another, while servers run, and how
 * much those of users and tenants have.
 */
import type { Command } from 'commander'
import type { CommandContext } from '../console.ts'

const examples = `
1. Start the servers with FILES_STORE=<new> and FILES_STORE_FALLBACK=<old>. They write to the new store, and read from the old
   one the files that the new one has not.
2. bindery files move: it copies each file, reads the copy back and compares its SHA-256. After a Ctrl-C or a crash, run it
   again: it goes on. The sweep and backups wait for no server.
3. When it says so, start the servers without FILES_STORE_FALLBACK. The old store keeps its files until you remove them.

Both stores on S3 have the same AWS_ENDPOINT_URL and keys.

Examples:
  $ FILES_STORE=s3://house/files FILES_STORE_FALLBACK=data/files bindery files move
  $ bindery files move --to s3://house/files --json`

export function addFiles(program: Command, cli: CommandContext): void {
  const files = program.command('files').description('the stored bytes of files that belong to records')
  files
    .command('move')
    .description('copy all files from FILES_STORE_FALLBACK into FILES_STORE, also while servers run')
    .option('--to <place>', 'where they go, to be sure: a folder or s3://BUCKET/PREFIX, which must be FILES_STORE')
    .addHelpText('after', examples)
    .action(async (options: { readonly to?: string }) => (await import('./move-stored-files.ts')).run(cli, options))
  files
    .command('usage')
    .description('how much the files of each user and tenant have, the largest first')
    .action(async () => (await import('./files-usage.ts')).run(cli))
}
