/**
 * The command `bindery sessions end`: ends sessions as a log-out does. The server that notices
 * first applies it at once, and all others within a second.
 */

import { type Command, type Console, defineCommand } from '../../command/define-command.ts'
import { UsageError } from '../../command/usage-error.ts'
import { StartError } from '../../errors.ts'
import type { Engine } from '../../perform/engine.ts'
import type { Resource } from '../../resource/catalog.ts'
import { always, type Condition, equal } from '../../resource/condition.ts'
import { consolePrincipal } from '../../resource/principal.ts'
import { getUser, loginOf } from '../users/named-user.ts'

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

async function end(cli: Console, { all = false, user }: EndOptions): Promise<void> {
  if (all === (user !== undefined)) throw new UsageError('say whose: --all, or --user with an e-mail or id')
  const ended = await cli.withEngine(async (engine) => {
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

const endSessions = defineCommand({
  name: 'end',
  about: 'end sessions: their people have to log in again',
  options: {
    all: { flag: '--all', about: 'the sessions of all users' },
    user: { flag: '--user <id-or-email>', about: 'those of one user' },
  },
  examples: ['bindery sessions end --user ann@example.com', 'bindery sessions end --all'],
  run: ({ options }, cli) => end(cli, options),
})

export const sessionCommands: Command = { name: 'sessions', about: 'who is logged in', commands: [endSessions] }
