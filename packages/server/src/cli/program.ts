/**
 * `bindery <command>`: reads the command line, runs one command, and turns an error into a line and
 * an exit code. Each command is in the file of its name. The modules of a command are loaded when
 * it runs, so `--help` answers at once.
 */
import { Command } from 'commander'
import { endQuietlyWithReader, makeOutput } from '../command/output.ts'
import { ownVersion } from '../create/own-version.ts'
import { consoleParts, featureCommands } from '../service/features.ts'
import { addAccess } from './access/access.ts'
import { addCommand } from './add-command.ts'
import type { CommandContext } from './console.ts'
import { addBackup } from './database/backup.ts'
import { addCopy } from './database/copy.ts'
import { addFiles } from './database/files.ts'
import { addMigrate } from './database/migrate.ts'
import { addRestore } from './database/restore.ts'
import { addCheck } from './develop/check-application.ts'
import { addDev } from './develop/dev.ts'
import { addInit } from './develop/init.ts'
import { addDoctor } from './doctor/doctor.ts'
import { addExplain } from './documents/explain.ts'
import { addOpenapi } from './documents/openapi.ts'
import { addRoutes } from './documents/routes.ts'
import { addSdl } from './documents/sdl.ts'
import { addTypes } from './documents/write-types.ts'
import { exitCodeOf, messageOf } from './failure.ts'
import { refuseEmptyArguments, refuseFlagsAsValues } from './flag-values.ts'
import { addExport } from './records/export.ts'
import { addImport } from './records/import.ts'
import { addRemove } from './records/remove-record.ts'
import { addSeed } from './records/seed.ts'
import { resourceHelp } from './resource-help.ts'
import { addEffects } from './running/effects.ts'
import { addJobs } from './running/jobs.ts'
import { addChanges } from './running/print-changes.ts'
import { addSchedules } from './running/schedules.ts'
import { addServe } from './running/serve.ts'
import { addLogLevel } from './running/set-log-level.ts'
import { addTop } from './running/top.ts'

export function makeProgram(cli: CommandContext): Command {
  const examples = consoleParts.map(({ example }) => `  $ ${example}\n`).join('')
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
      `\nExamples:\n  $ bindery start\n${examples}  $ bindery import products products.ndjson\n  $ bindery routes | grep DELETE\n\nThe environment (DATA_DIR, DATABASE_URL, …) is listed by: bindery start --help\nExit codes: 0 done, 1 failed, 2 called wrongly, 130 stopped by Ctrl-C`,
    )
  const ofFeatures = featureCommands.map((command) => () => addCommand(program, cli, command))
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
    addFiles,
    ...ofFeatures,
    addChanges,
    addEffects,
    addJobs,
    addSchedules,
    addLogLevel,
    addImport,
    addExport,
    addRemove,
    addSeed,
    addAccess,
    addExplain,
    addRoutes,
    addOpenapi,
    addSdl,
    addTypes,
  ])
    add(program, cli)
  addInit(program)
  refuseFlagsAsValues(program)
  refuseEmptyArguments(program)
  return program
}

/** A call without a command shows the help, although its exit code says that the call was wrong. */
function isHelp(error: unknown): boolean {
  return ['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(
    (error as { code?: string }).code ?? '',
  )
}

/** Sets the exit code of the process: 0 done, 1 failed, 2 called wrongly, 130 stopped by Ctrl-C. */
export async function runProgram(application: Omit<CommandContext, 'output'>, args: readonly string[]): Promise<void> {
  endQuietlyWithReader()
  // Read first, so that a wrong command line is also reported in the right form.
  const output = makeOutput({ json: args.includes('--json'), debug: args.includes('--debug') })
  try {
    const cli = { output, ...application }
    const program = makeProgram(cli)
    const help = await resourceHelp(cli, args)
    program.commands.find((one) => one.name() === help?.command)?.addHelpText('afterAll', help?.text ?? '')
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    process.exitCode = exitCodeOf(error)
    if (!isHelp(error)) output.problem(messageOf(error, output.debug))
  }
}
