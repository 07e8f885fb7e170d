/**
 * `bindery doctor`: says what is wrong with a service and what to do about it, even where no server
 * starts. It changes nothing, and may run beside a server.
 */
import type { Command } from 'commander'
import { paint, plain } from '../../command/output.ts'
import { type Config, readConfig } from '../../config.ts'
import { StartError } from '../../errors.ts'
import type { Catalog } from '../../resource/catalog.ts'
import type { DatabaseNotes } from '../../storage/database-kind.ts'
import { type Finding, type FindingLevel, type Findings, makeFindings, worstOf } from '../../storage/finding.ts'
import { type CommandContext, loadCatalog } from '../console.ts'

/** The exit codes that monitoring programs expect. */
const exitCodes: Readonly<Record<FindingLevel, number>> = { ok: 0, warn: 1, bad: 2 }
const styles = { ok: 'green', warn: 'yellow', bad: 'red' } as const

function configOf(findings: Findings): Config | undefined {
  return ofConfiguration(findings, readConfig)
}

/**
 * The result of work on the configuration; undefined where a wrong value prevents a start, which is
 * reported.
 */
function ofConfiguration<T>({ about }: Findings, work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    const [name = ''] = error.message.split(' ')
    about('configuration', name).bad(
      error.message,
      'Correct it: no server starts with this value. bindery start --help lists all',
    )
    return undefined
  }
}

async function catalogOf(cli: CommandContext, { about }: Findings): Promise<Catalog | undefined> {
  try {
    return await loadCatalog(cli)
  } catch (error) {
    const what = (error as Error).message
    about('declarations', 'application').bad(what, 'Correct them: bindery check. The other findings do without them')
    return undefined
  }
}

/** All findings, the worst last, where people read first. */
export async function examine(
  cli: CommandContext,
  { deep, nowMs, config: given }: { readonly deep: boolean; readonly nowMs: number; readonly config?: Config },
): Promise<readonly Finding[]> {
  const findings = makeFindings()
  const config = given ?? configOf(findings)
  const catalog = await catalogOf(cli, findings)
  if (!config) return findings.all
  const { settleRoles } = await import('../../settings/role-settings.ts')
  if (catalog) ofConfiguration(findings, () => settleRoles(config, catalog.roles))
  const { inspectHost } = await import('./doctor-host.ts')
  await inspectHost(findings, config, { catalog, nowMs })
  const { kind, setup } = config.database
  const { backupNotes } = await import('../../backup/last-backup.ts')
  const { sweepNotes } = await import('../../service/sweep-failures.ts')
  const notes: DatabaseNotes = { names: [...backupNotes, ...sweepNotes] }
  const options = { catalog, deep, nowMs, notes }
  await findings.part('database', kind.describe(setup), () => kind.inspect(findings, setup, options))
  const { inspectSweeps } = await import('./doctor-sweeps.ts')
  await findings.part('sweeps', kind.describe(setup), () => inspectSweeps(findings, notes.found))
  const { inspectBackups, inspectCopies } = await import('./doctor-backup.ts')
  await findings.part('backup', kind.describe(setup), () =>
    inspectBackups(findings, config, { found: notes.found, nowMs }),
  )
  if (deep && catalog) {
    const { inspectFiles } = await import('./doctor-files.ts')
    await findings.part('files', kind.describe(setup), () => inspectFiles(findings, config, catalog))
  }
  await findings.part('log copies', kind.describe(setup), () => inspectCopies(findings, config, nowMs))
  return findings.all
}

function printFinding({ level, check, where, what, todo }: Finding, width: number): string {
  const head = `${paint(styles[level], level.padEnd(4))}  ${check.padEnd(width)}  `
  const indent = ' '.repeat(6 + width + 2)
  return `${head}${plain(where)}: ${plain(what)}\n${todo === undefined ? '' : `${indent}→ ${plain(todo)}\n`}`
}

async function run(cli: CommandContext, deep: boolean): Promise<void> {
  const found = await examine(cli, { deep, nowMs: Date.now() })
  const worst = worstOf(found)
  process.exitCode = exitCodes[worst]
  const count = (level: FindingLevel) => found.filter((one) => one.level === level).length
  const counts = { bad: count('bad'), warn: count('warn'), ok: count('ok') }
  if (cli.output.json) return cli.output.value({ status: worst, counts, findings: found })
  const width = Math.max(...found.map(({ check }) => check.length))
  const sorted = (['ok', 'warn', 'bad'] as const).flatMap((level) => found.filter((one) => one.level === level))
  const summary = `${counts.bad} bad, ${counts.warn} to see to, ${counts.ok} fine`
  // On stdout, as the findings are: a pager would show stderr before them
  await cli.output.write(
    `${sorted.map((one) => printFinding(one, width)).join('')}${summary}${deep ? '' : '; --deep reads every index too'}\n`,
  )
}

export function addDoctor(program: Command, cli: CommandContext): void {
  program
    .command('doctor')
    .description(
      'what is wrong here, and what to do: configuration, files, disk, database, schema, clock, secret, backups, work that waits',
    )
    .option('--deep', 'read everything: each index beside its table, all files of records (minutes for many gigabytes)')
    .addHelpText(
      'after',
      '\nIt changes nothing, and may run beside a server and where none starts.\nExit codes: 0 all is fine, 1 something to see to, 2 something is bad (2 as well where the command line is wrong)\n\nExamples:\n  $ bindery doctor\n  $ bindery doctor --deep --json | jq -r \'.findings[] | select(.level != "ok") | .todo\'',
    )
    .action(({ deep = false }: { deep?: boolean }) => run(cli, deep))
}
