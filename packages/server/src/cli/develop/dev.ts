/** `bindery dev`: serves the application during development, and restarts it after each change. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { isAbsolute, join } from 'node:path'
import { confirm } from '@clack/prompts'
import type { Command } from 'commander'
import { readConfig } from '../../config.ts'
import type { ProcessEnd } from '../../develop/application-process.ts'
import { newDatabaseFlag } from '../../storage/database-kind.ts'
import type { CommandContext } from '../console.ts'
import { clearTypes } from './clear-types.ts'

/** The command line that starts this program again. */
function ownCommand(...given: string[]): string[] {
  return [process.execPath, ...process.execArgv, process.argv[1] as string, ...given]
}

/** The data that the start refused to drop, in the form that `--allow-loss` takes. */
function lossesOf({ errors }: ProcessEnd): string[] {
  return [...errors.matchAll(/--allow-loss ([\w.]+)/g)].map(([, name]) => name as string)
}

async function settleLosses(ended: ProcessEnd, say: (line: string) => void): Promise<boolean> {
  const losses = lossesOf(ended)
  if (losses.length === 0) return false
  const allowed = losses.join(',')
  if (!process.stdin.isTTY) {
    say(`To drop what is no longer declared: bindery migrate --allow-loss ${allowed}`)
    return false
  }
  const message = `Drop ${allowed}? What is stored there is first written to a file in the data folder.`
  if ((await confirm({ message, initialValue: false })) !== true) return false
  const [program = '', ...given] = ownCommand('migrate', '--allow-loss', allowed)
  const [code] = (await once(spawn(program, given, { stdio: 'inherit' }), 'close')) as [number | null]
  return code === 0
}

const help = `
A change of a source serves the application anew; types are checked beside it. What would lose data is asked for first.

Examples:
  $ bindery dev
  $ PORT=8080 bindery dev`

export function addDev(program: Command, { output }: CommandContext): void {
  program
    .command('dev')
    .description('serve while the application is written: every change is checked and served anew')
    .option(newDatabaseFlag, 'make a new, empty database although there was one; its log is moved aside')
    .addHelpText('after', help)
    .action(async ({ newDatabase = false }: { newDatabase?: boolean }) => {
      const { startDevServer } = await import('../../develop/dev-server.ts')
      const folder = process.cwd()
      const { dataDir } = readConfig()
      const developing = startDevServer({
        folder,
        ignored: [isAbsolute(dataDir) ? dataDir : join(folder, dataDir)],
        command: ownCommand('start', '--unchecked', '--on-word', ...(newDatabase ? [newDatabaseFlag] : [])),
        say: output.note,
        settleLosses: (ended) => settleLosses(ended, output.note),
        clearTypes,
      })
      await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
      await developing.stop()
    })
}
