/**
 * `bindery changes`: prints the events of the feed as lines of JSON, for the operator or as a user
 * sees them.
 */
import type { Command } from 'commander'
import { UsageError } from '../../command/usage-error.ts'
import { StartError } from '../../errors.ts'
import type { FeedRoom } from '../../events/feed-room.ts'
import { consolePrincipal, type Principal } from '../../resource/principal.ts'
import { type CommandContext, withEngine } from '../console.ts'

type ChangesFlags = { readonly after?: string; readonly follow?: boolean; readonly as?: string }

async function readerOf({ engine }: FeedRoom, as: string | undefined): Promise<Principal> {
  if (as === undefined) return consolePrincipal(engine.catalog)
  const found = await engine.identity.findCaller(as)
  if (!found) throw new UsageError(`there is no active user ${as}`)
  return found
}

async function printChanges(cli: CommandContext, slugs: readonly string[], flags: ChangesFlags): Promise<void> {
  const { output } = cli
  await withEngine(cli, async (engine) => {
    const [{ makeFeedRoom }, { walkFeed }] = await Promise.all([
      import('../../events/feed-room.ts'),
      import('../../events/walk-feed.ts'),
    ])
    const room = makeFeedRoom(engine, () => false)
    if (!room) throw new StartError('No resource declares changes, so there is no feed')
    const end = new AbortController()
    process.once('SIGINT', () => end.abort())
    const principal = await readerOf(room, flags.as)
    const walked = { principal, slugs, after: flags.after, follows: flags.follow === true, signal: end.signal }
    for await (const event of walkFeed(room, walked)) await output.value(event)
  })
}

export function addChanges(program: Command, cli: CommandContext): void {
  program
    .command('changes [resources...]')
    .description('what has changed in the records of resources that declare changes, a line for each event')
    .option('--after <position>', 'from this position on; by default all that the log has')
    .option('--follow', 'wait for further events, until it is interrupted')
    .option('--as <id-or-email>', 'the events that this user sees; by default those of all records')
    .addHelpText(
      'after',
      '\nExamples:\n  $ bindery changes notes --follow\n  $ bindery changes --as ann@example.com | jq -r .type | sort | uniq -c',
    )
    .action((resources: string[], flags: ChangesFlags) => printChanges(cli, resources, flags))
}
