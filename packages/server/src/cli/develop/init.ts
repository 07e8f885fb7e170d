/** `bindery init`: the same as `npm create bindery`, with the installed version. */
import type { Command } from 'commander'
import { UsageError } from '../../command/usage-error.ts'
import { type CreateOptions, optionTexts } from '../../create/options.ts'

export function addInit(program: Command): void {
  program
    .command('init')
    .description('make a new application')
    .argument('[folder]', optionTexts.folder)
    .option('--kind <kind>', optionTexts.kind)
    .option('-y, --yes', optionTexts.yes)
    .option('--no-install', optionTexts.noInstall)
    .option('--engine <spec>', optionTexts.engine)
    .addHelpText('after', '\nExamples:\n  $ bindery init my-app\n  $ bindery init my-app --kind keys --yes')
    .action(async (folder: string | undefined, options: CreateOptions) => {
      const { createApplication } = await import('../../create/new-application.ts')
      const { CreateError } = await import('../../create/write-project.ts')
      await createApplication(folder, options).catch((error: unknown) => {
        throw error instanceof CreateError ? new UsageError(error.message) : error
      })
    })
}
