/**
 * `bindery effects`: lists background work that writes have queued, such as mails, by its state.
 * The operator retries it or gives it up.
 */
import type { Command } from 'commander'
import { sayings } from '../../service/features.ts'
import { effectStates } from '../../storage/stored-effects.ts'
import type { CommandContext } from '../console.ts'
import type { EffectChoice, EffectCommandName, EffectFilter } from './effects-work.ts'

const work = () => import('./effects-work.ts')

const acts: readonly (readonly [name: EffectCommandName, about: string])[] = [
  ['retry', 'try those given up once more, at the end of their line; one that waits is tried now'],
  ['give-up', 'try those no more that wait: they stay until they are tried again or removed'],
  ['remove', 'remove those given up'],
]

export function addEffects(program: Command, cli: CommandContext): void {
  const effects = program
    .command('effects')
    .description(`the work that writes have left, such as ${sayings('leftWork')}`)
  effects
    .command('list')
    .description('what waits, runs and was given up, in the order in which it was left')
    .option('--kind <name>', `of one kind, such as ${sayings('leftKind')}`)
    .option('--state <state>', effectStates.join(', '))
    .addHelpText(
      'after',
      '\nbehind: an older one of its key comes first. lost: its process ended before it did, and another one takes it.\n\nExamples:\n  $ bindery effects list --state given-up\n  $ bindery effects list --json | jq -r .kind | sort | uniq -c',
    )
    .action(async (which: EffectFilter) => (await work()).listEffects(cli, which))
  effects
    .command('show <id>')
    .description('one of them, with what it is given; the beginning of its id is enough')
    .action(async (id: string) => (await work()).showEffect(cli, id))
  for (const [name, about] of acts)
    effects
      .command(`${name} [ids...]`)
      .description(about)
      .option('--kind <name>', 'all of one kind')
      .option('--all', 'all of every kind')
      .action(async (ids: string[], chosen: EffectChoice) => (await work()).changeEffects(cli, { name, ids, chosen }))
}
