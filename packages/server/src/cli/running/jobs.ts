/**
 * `bindery jobs`: lists the jobs of the application by their states. The operator retries them,
 * gives them up, or cancels them.
 */
import type { Command } from 'commander'
import type { JobActName } from '../../record/jobs/work-acts.ts'
import { jobStates } from '../../resource/jobs/job-context.ts'
import type { CommandContext } from '../console.ts'
import type { JobChoice, JobFilter } from './jobs-work.ts'

const work = () => import('./jobs-work.ts')

const acts: readonly (readonly [name: JobActName, about: string])[] = [
  ['retry', 'try failed ones once more; one that waits is tried now'],
  ['give-up', 'try those no more that wait: they have failed, until they are tried again'],
  ['cancel', 'cancel those that wait or run: a server that runs one is told'],
]

export function addJobs(program: Command, cli: CommandContext): void {
  const jobs = program.command('jobs').description('the jobs of the application, which run outside of requests')
  jobs
    .command('list')
    .description('those that wait, run or have ended, in the order in which they were added')
    .option('--job <name>', 'of one declaration')
    .option('--state <state>', jobStates.join(', '))
    .addHelpText(
      'after',
      '\nExamples:\n  $ bindery jobs list --state failed\n  $ bindery jobs list --json | jq -r .job | sort | uniq -c',
    )
    .action(async (which: JobFilter) => (await work()).listJobs(cli, which))
  jobs
    .command('show <id>')
    .description('one of them, with its input and result; the beginning of its id is enough')
    .action(async (id: string) => (await work()).showJob(cli, id))
  for (const [name, about] of acts)
    jobs
      .command(`${name} [ids...]`)
      .description(about)
      .option('--job <name>', 'all of one declaration')
      .option('--all', 'all of every declaration')
      .action(async (ids: string[], chosen: JobChoice) => (await work()).changeJobs(cli, { name, ids, chosen }))
}
