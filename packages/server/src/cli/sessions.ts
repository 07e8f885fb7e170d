/** `bindery sessions end`: ends sessions as a log-out would, at once on the server that notices first and within a second on all. */
import type { Command } from 'commander'
import { StartError } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Engine } from '../perform/engine.ts'
import type { Resource } from '../resource/catalog.ts'
import { always, all as both, type Condition, equal, type Scalar } from '../resource/condition.ts'
import { type Cli, consolePrincipal, withEngine } from './console.ts'
import { UsageError } from './failure.ts'
import { getUser, loginOf } from './user.ts'

type EndOptions = { readonly all?: boolean; readonly user?: string }

/** A few in each transaction: others write meanwhile. Returns how many there were. */
async function endWhere(engine: Engine, resource: Resource, where: Condition): Promise<number> {
  const { authorOf } = await import('../record/author.ts')
  const sort = [{ field: resource.idField, descending: false }]
  for (let ended = 0; ; ) {
    const found = await engine.storage.list(resource, { where, sort, limit: limits.sweptAtOnce, after: null })
    const ids = found.map((row) => row[resource.idField] as Scalar)
    if (ids.length === 0) return ended
    const still = both({ kind: 'in', field: resource.idField, values: ids }, where)
    ended += await engine.records.transaction(authorOf(consolePrincipal), (writing) =>
      writing.removeWhere(resource, still),
    )
    if (ids.length < limits.sweptAtOnce) return ended
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
    .option('--all', 'those of everybody')
    .option('--user <id-or-email>', 'those of one user')
    .addHelpText(
      'after',
      '\nExamples:\n  $ bindery sessions end --user ann@example.com\n  $ bindery sessions end --all',
    )
    .action((options: EndOptions) => end(cli, options))
}
