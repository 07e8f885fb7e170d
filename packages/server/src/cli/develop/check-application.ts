/** `bindery check`: finds all mistakes that can be known before an application is served. */
import type { Command } from 'commander'
import { findSettingsMistakes, readConfig } from '../../config.ts'
import type { BuildProblem } from '../../develop/build-problem.ts'
import { StartError } from '../../errors.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { throwMistakes } from '../../resource/check.ts'
import { type CommandContext, loadCatalog } from '../console.ts'
import type { Difference } from '../documents/check-documents.ts'
import { clearTypes } from './clear-types.ts'

type CheckResult = {
  readonly types: readonly BuildProblem[]
  readonly declarations: readonly BuildProblem[]
  /** The steps that a start would take, or the reason why it would refuse. */
  readonly database: { readonly steps: readonly string[]; readonly refused?: string }
  readonly documents: readonly Difference[]
  /** Checks that were not possible, and why. */
  readonly skipped: readonly string[]
}

async function findDeclarations(
  cli: CommandContext,
  folder: string,
): Promise<{ catalog?: Catalog; mistakes: BuildProblem[] }> {
  try {
    const catalog = await loadCatalog(cli)
    throwMistakes(findSettingsMistakes(catalog.parts))
    return { catalog, mistakes: [] }
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    const { locateProblem } = await import('../../develop/locate.ts')
    const lines = error.message.split('\n')
    const reported = lines.length > 1 ? lines.slice(1) : lines
    return { mistakes: reported.map((line) => locateProblem(folder, line)) }
  }
}

async function planDatabase(catalog: Catalog): Promise<CheckResult['database']> {
  const { migrateStorage } = await import('../../storage/open.ts')
  const { describeStep } = await import('../database/step-words.ts')
  try {
    return { steps: (await migrateStorage(readConfig().database, catalog, { dryRun: true })).map(describeStep) }
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return { steps: [], refused: error.message }
  }
}

async function findAll(cli: CommandContext, { write }: { write: boolean }): Promise<CheckResult> {
  const folder = process.cwd()
  const { checkTypes } = await import('../../develop/type-check.ts')
  const [types, { catalog, mistakes }] = await Promise.all([checkTypes(folder), findDeclarations(cli, folder)])
  const { compareDocuments } = await import('../documents/check-documents.ts')
  const { settleRoles } = await import('../../settings/role-settings.ts')
  const skipped = types.why ? [`types: ${types.why}`] : []
  if (!catalog)
    return { types: types.mistakes ?? [], declarations: mistakes, database: { steps: [] }, documents: [], skipped }
  return {
    types: types.mistakes ?? [],
    declarations: mistakes,
    database: await planDatabase(catalog),
    documents: await compareDocuments(catalog, { folder, write, settings: settleRoles(readConfig(), catalog.roles) }),
    skipped,
  }
}

function isWrong({ types, declarations, database, documents }: CheckResult): boolean {
  return types.length > 0 || declarations.length > 0 || database.refused !== undefined || documents.length > 0
}

async function show({ output }: CommandContext, found: CheckResult): Promise<void> {
  const { printBuildProblem } = await import('../../develop/build-problem.ts')
  const folder = process.cwd()
  const types = clearTypes(found.types, found.declarations)
  const lines = [...types, ...found.declarations].map((mistake) => printBuildProblem(folder, mistake))
  const { steps, refused } = found.database
  if (refused !== undefined) lines.push(refused)
  for (const { file, line } of found.documents)
    lines.push(
      line === 0
        ? `${file} is not there, and package.json names it; bindery check --write makes it`
        : `${file} is not what the declarations say (first at line ${line}); bindery check --write makes it anew`,
    )
  await output.write(lines.map((line) => `${line}\n`).join(''))
  for (const what of found.skipped) output.note(`Not checked: ${what}.`)
  if (steps.length > 0)
    output.note(
      `A start would take ${steps.length} ${steps.length === 1 ? 'step' : 'steps'}; bindery migrate --dry-run lists them.`,
    )
  output.note(isWrong(found) ? 'There is something to mend.' : 'Nothing to mend.')
}

const help = `
Types (by the TypeScript of the project), declarations, the change of the database, and the documents openapi.json and
schema.graphql where the project keeps them. The exit code is 1 when anything is wrong, and nothing is changed.

Examples:
  $ bindery check
  $ bindery check --write
  $ bindery check --json | jq .types`

export function addCheck(program: Command, cli: CommandContext): void {
  program
    .command('check')
    .description('find what is wrong before it is served')
    .option('--write', 'write the documents anew that are not what the declarations say')
    .addHelpText('after', help)
    .action(async ({ write = false }: { write?: boolean }) => {
      const found = await findAll(cli, { write })
      if (cli.output.json) await cli.output.value({ ok: !isWrong(found), ...found })
      else await show(cli, found)
      if (isWrong(found)) process.exitCode = 1
    })
}
