/** `bindery seed`: fills the database with the records that the application declares. */
import type { Command } from 'commander'
import { UsageError } from '../../command/usage-error.ts'
import { type Config, readConfig } from '../../config.ts'
import type { CodeLog } from '../../resource/code/code-context.ts'
import type { DeclaredSeed } from '../../resource/parts/define-seed.ts'
import { isOwnMachine } from '../../settings/network-settings.ts'
import { type CommandContext, withEngine } from '../console.ts'

/** The variable by which others reach this server; undefined on the machine of a developer. */
function reachedBy({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): string | undefined {
  if (publicUrl !== undefined) return 'PUBLIC_URL'
  return isOwnMachine(host) ? undefined : 'HOST'
}

function refuseOthers(seeds: readonly DeclaredSeed[], isSure: boolean): void {
  const variable = reachedBy(readConfig())
  const names = seeds.filter(({ seed }) => !seed.everywhere).map(({ partName }) => partName)
  if (isSure || variable === undefined || names.length === 0) return
  throw new UsageError(
    `others reach this server (${variable}), and ${names.join(', ')} may be for development alone: pass --yes to run it here`,
  )
}

function logOf({ output }: CommandContext): CodeLog {
  return {
    info: (message) => output.note(message),
    warn: (message) => output.note(message),
    error: (message, error) => output.note(`${message}: ${(error as Error)?.message ?? error}`),
  }
}

async function seed(cli: CommandContext, name: string | undefined, { yes = false }: { readonly yes?: boolean }) {
  const { runSeeds, seedsOf } = await import('../../service/operating/run-seeds.ts')
  const { startProgress } = await import('../terminal/progress.ts')
  const { output } = cli
  const outcomes = await withEngine(
    cli,
    async (engine) => {
      const seeds = seedsOf(engine, name === undefined ? undefined : [name])
      if (seeds.length === 0) throw new UsageError('this application declares no seed: defineSeed({ name, run }) does')
      refuseOthers(seeds, yes)
      const bar = startProgress({ label: 'seed', total: undefined, quiet: output.json })
      try {
        return await runSeeds(engine, seeds, { log: logOf(cli), progress: (_, records) => bar.update(records) })
      } finally {
        bar.end()
      }
    },
    'fresh',
  )
  if (output.json) return output.write(outcomes.map((one) => `${JSON.stringify(one)}\n`).join(''))
  for (const one of outcomes)
    await output.write(`${one.name}: ${one.created} created, ${one.updated} updated, ${one.unchanged} unchanged\n`)
}

const help = `
Each seed is one transaction. A record that is there is not made twice, so it may run again. Its writes cause no effects,
unless it says so. Where others reach the server (HOST or PUBLIC_URL), it asks for --yes.

Examples:
  $ bindery seed
  $ bindery seed demo --json`

export function addSeed(program: Command, cli: CommandContext): void {
  program
    .command('seed')
    .argument('[name]', 'this seed alone')
    .description('store the records that the application begins with')
    .option('--yes', 'also where others reach the server')
    .addHelpText('after', help)
    .action((name: string | undefined, options: { readonly yes?: boolean }) => seed(cli, name, options))
}
