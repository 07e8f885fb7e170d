/**
 * `bindery <command>`: reads the command line, runs one command, and turns an error into a line and an exit code. Each command
 * is in the file of its name. What a command needs is loaded when it runs, so `--help` answers at once.
 */
import { Command } from 'commander'
import { ownVersion } from '../create/own-version.ts'
import { addBackup } from './backup.ts'
import { addCheck } from './check-application.ts'
import type { Cli } from './console.ts'
import { addCopy } from './copy.ts'
import { addDev } from './dev.ts'
import { addDoctor } from './doctor.ts'
import { addExplain } from './explain.ts'
import { addExport } from './export.ts'
import { exitCodeOf, messageOf } from './failure.ts'
import { refuseFlagsAsValues } from './flag-values.ts'
import { addImport } from './import.ts'
import { addInit } from './init.ts'
import { addKey } from './key.ts'
import { addMigrate } from './migrate.ts'
import { addOpenapi } from './openapi.ts'
import { addRemove } from './remove-record.ts'
import { resourceHelp } from './resource-help.ts'
import { addRestore } from './restore.ts'
import { addRoutes } from './routes.ts'
import { addSdl } from './sdl.ts'
import { addSecrets } from './secrets.ts'
import { addServe } from './serve.ts'
import { addSessions } from './sessions.ts'
import { addLogLevel } from './set-log-level.ts'
import { endQuietlyWithReader, makeOutput } from './terminal/output.ts'
import { addTop } from './top.ts'
import { addUser } from './user.ts'
import { addTypes } from './write-types.ts'

function makeProgram(cli: Cli): Command {
  const program = new Command('bindery')
  program
    .description(
      'The command line of Bindery. It works on the database of the environment, also while a server runs on it.',
    )
    .version(ownVersion())
    .option('--json', 'for programs: JSON on stdout, {"error": …} on stderr')
    .option('--debug', 'show where an unexpected error came from')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: () => {} }) // reported below, as a line or as JSON
    .exitOverride()
    .addHelpText(
      'after',
      '\nExamples:\n  $ bindery start\n  $ bindery user create --email ann@example.com --role EDITOR\n  $ bindery import products products.ndjson\n  $ bindery routes | grep DELETE\n\nThe environment (DATA_DIR, DATABASE_URL, …) is listed by: bindery start --help\nExit codes: 0 done, 1 failed, 2 called wrongly, 130 stopped by Ctrl-C',
    )
  const resources = [addUser, addKey, addSessions, addSecrets, addLogLevel, addImport, addExport, addRemove]
  for (const add of [
    addDev,
    addCheck,
    addServe,
    addDoctor,
    addTop,
    addMigrate,
    addCopy,
    addBackup,
    addRestore,
    ...resources,
    addExplain,
    addRoutes,
    addOpenapi,
    addSdl,
    addTypes,
  ])
    add(program, cli)
  addInit(program)
  refuseFlagsAsValues(program)
  return program
}

/** Help is the answer to a call without a command, although the exit code still says that the call was wrong. */
function isHelp(error: unknown): boolean {
  return ['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(
    (error as { code?: string }).code ?? '',
  )
}

/** Sets the exit code of the process: 0 done, 1 failed, 2 called wrongly, 130 stopped by Ctrl-C. */
export async function runProgram(application: Omit<Cli, 'output'>, args: readonly string[]): Promise<void> {
  endQuietlyWithReader()
  // Read before anything else, so that a wrong command line is reported in the right form too.
  const output = makeOutput({ json: args.includes('--json'), debug: args.includes('--debug') })
  try {
    const cli = { output, ...application }
    const program = makeProgram(cli)
    const help = await resourceHelp(cli, args)
    program.commands.find((one) => one.name() === help?.command)?.addHelpText('after', help?.text ?? '')
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    process.exitCode = exitCodeOf(error)
    if (!isHelp(error)) output.problem(messageOf(error, output.debug))
  }
}
