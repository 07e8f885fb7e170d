/** `bindery sessions end`: ends sessions as a log-out would, at once on the server that notices first and within a second on all. */
import type { Command } from 'commander'
import { StartError } from '../../errors.ts'
import type { Engine } from '../../perform/engine.ts'
import type { Resource } from '../../resource/catalog.ts'
import { always, type Condition, equal } from '../../resource/condition.ts'
import { type Cli, consolePrincipal, withEngine } from '../console.ts'
import { UsageError } from '../failure.ts'
import { getUser, loginOf } from './user.ts'

type EndOptions = { readonly all?: boolean; readonly user?: string }

/** Returns how many there were. */
async function endWhere(engine: Engine, resource: Resource, where: Condition): Promise<number> {
  const { authorOf } = await import('../../record/author.ts')
  const { removeSome } = await import('../../perform/remove-some.ts')
  const removal = { resource, where, author: authorOf(consolePrincipal(engine.catalog)), storage: engine.storage }
  for (let ended = 0; ; ) {
    const { removed, isLast } = await removeSome(engine, removal)
    ended += removed
    if (isLast) return ended
  }
}

async function end(cli: Cli, { all = false, user }: EndOptions): Promise<void> {
  if (all === (user !== undefined)) throw new UsageError('say whose: --all, or --user with an e-mail or id')
  const ended = await withEngine(cli, async (engine) => {
    const { session } = engine.catalog
    if (!session) throw new StartError('This application has no sessions')
    const owner = user === undefined ? undefined : await getUser(engine, user)
    const { idField } = loginOf(engine).resource
    const where = owner ? equal(session.mark.owner, String(owner[idField])) : always
    return endWhere(engine, session.resource, where)
  })
  if (cli.output.json) return cli.output.value({ ended })
  await cli.output.write(`${ended} ${ended === 1 ? 'session' : 'sessions'} ended.\n`)
  cli.output.note(
    'Their access and refresh tokens are refused from now on, by other servers within a second. API keys are not sessions: bindery keys revoke',
  )
}

export function addSessions(program: Command, cli: Cli): void {
  program
    .command('sessions')
    .description('who is logged in')
    .command('end')
    .description('end sessions: their people have to log in again')
    .option('--all', 'the sessions of all users')
    .option('--user <id-or-email>', 'those of one user')
    .addHelpText(
      'after',
      '\nExamples:\n  $ bindery sessions end --user ann@example.com\n  $ bindery sessions end --all',
    )
    .action((options: EndOptions) => end(cli, options))
}
