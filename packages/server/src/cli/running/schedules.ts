/**
 * `bindery schedules`: lists the schedules of the application with their next moments, and runs one
 * now.
 */
import type { Command } from 'commander'
import { makeTable, printRecord } from '../../command/table.ts'
import { UsageError } from '../../command/usage-error.ts'
import { scheduleKindName } from '../../resource/schedules/define-schedule.ts'
import { findMeant } from '../../resource/words/nearest.ts'
import { leaveRunNow } from '../../schedules/decide-moments.ts'
import { declaredSchedules, listSchedules, nextMoments, type ScheduleSource } from '../../schedules/schedule-list.ts'
import { type CommandContext, withEngine } from '../console.ts'
import { noteWork } from './queued-work.ts'

const shownMoments = 5
const momentsMax = 1_000

async function list(cli: CommandContext): Promise<void> {
  const all = await withEngine(cli, listSchedules)
  if (cli.output.json) return cli.output.write(all.map((one) => `${JSON.stringify(one)}\n`).join(''))
  const table = makeTable(['name', 'cron', 'zone', 'missed', 'nextAt', 'endedAt', 'waiting', 'givenUp'])
  await cli.output.write(table.print(all))
  for (const { name } of all.filter(({ isDeclared }) => !isDeclared))
    cli.output.note(`${name} is not declared any more: it does not run, and the next start forgets it`)
  cli.output.note(`${all.length} ${all.length === 1 ? 'schedule' : 'schedules'}`)
}

function getSchedule(source: Pick<ScheduleSource, 'catalog'>, name: string) {
  const all = declaredSchedules(source)
  const found = all.find(({ partName }) => partName === name)
  const names = all.map(({ partName }) => partName)
  if (!found)
    throw new UsageError(
      `unknown schedule ${name}${findMeant(name, names) || (names.length === 0 ? '; there is none here' : `; there are ${names.join(', ')}`)}`,
    )
  return found
}

async function show(cli: CommandContext, name: string, { count }: { readonly count: string }): Promise<void> {
  const most = Number(count)
  if (!Number.isInteger(most) || most < 1 || most > momentsMax)
    throw new UsageError(`--count is a whole number from 1 to ${momentsMax}, not ${count}`)
  const shown = await withEngine(cli, async (engine) => {
    const declared = getSchedule(engine, name)
    const [found] = (await listSchedules(engine)).filter((one) => one.name === name)
    return { ...found, moments: nextMoments(declared, engine.clock(), most) }
  })
  if (cli.output.json) return cli.output.value(shown)
  const { moments, ...facts } = shown
  await cli.output.write(`${printRecord(facts)}\n${moments.map((moment) => `${moment}\n`).join('')}`)
}

async function runNow(cli: CommandContext, name: string): Promise<void> {
  await withEngine(cli, async (engine) => {
    const found = getSchedule(engine, name)
    const id = await leaveRunNow(engine, found)
    const work = [{ kind: scheduleKindName(name), id }]
    await noteWork(engine, work, { event: 'effect-retried', act: 'run', areNamed: true })
  })
  if (cli.output.json) return cli.output.value({ name })
  await cli.output.write(`A run of ${name} waits: a running server takes it within ten seconds.\n`)
}

export function addSchedules(program: Command, cli: CommandContext): void {
  const schedules = program.command('schedules').description('work at declared times: its next moments, and its runs')
  schedules
    .command('list')
    .description('all schedules, with the next moment of each')
    .addHelpText(
      'after',
      '\nwaiting: runs that wait or go on. givenUp: runs that failed for good. See them: bindery effects list --kind schedule.<name>\n\nExamples:\n  $ bindery schedules list\n  $ bindery schedules list --json | jq -r .nextAt',
    )
    .action(() => list(cli))
  schedules
    .command('show <name>')
    .description('one of them, with its next moments')
    .option('--count <n>', 'how many moments', String(shownMoments))
    .action((name: string, options: { count: string }) => show(cli, name, options))
  schedules
    .command('run <name>')
    .description('run it once now, behind a run that goes on; its moments stay as they are')
    .action((name: string) => runNow(cli, name))
}
