/**
 * `bindery top`: shows the status of a running server, refreshed every few seconds: a screen on a
 * terminal, one line each time in a pipe.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { Interrupted } from '../../command/usage-error.ts'
import { readTopSource, type TopSource } from '../../config.ts'
import { StartError } from '../../errors.ts'
import type { Status } from '../../observe/status.ts'
import { listParameters } from '../../resource/list-style.ts'
import { sayings } from '../../service/features.ts'
import type { CommandContext } from '../console.ts'
import { printLine, printScreen } from '../terminal/top-screen.ts'

type TopFlags = { readonly url?: string; readonly every: number; readonly count?: number }

const answerMsMax = 5_000

function parseNumber(text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new InvalidArgumentError('It must be a number above 0.')
  return value
}

const operatorKey = sayings('operatorKey')
const refusals: Readonly<Record<number, string>> = {
  401: `BINDERY_KEY is missing or no good: it must be ${operatorKey}`,
  403: `BINDERY_KEY must be ${operatorKey}, without scopes`,
  404: 'there is no /status: another program, or an older version',
  421: 'it answers only by the name of its own machine',
}

async function ask({ url, key }: TopSource): Promise<Status> {
  const headers = { accept: 'application/json', ...(key !== undefined && { [listParameters.credential.header]: key }) }
  let answer: Response
  try {
    answer = await fetch(`${url}/status`, { headers, signal: AbortSignal.timeout(answerMsMax) })
  } catch (cause) {
    if ((cause as Error).name === 'TimeoutError')
      throw new StartError(`${url} did not answer within ${answerMsMax / 1000} seconds: it has too much to do`, {
        cause,
      })
    throw new StartError(`No server answers at ${url}: set METRICS_PORT as the server has it, or say --url`, { cause })
  }
  if (!answer.ok) throw new StartError(`${url}/status: ${refusals[answer.status] ?? `it answered ${answer.status}`}`)
  return (await answer.json()) as Status
}

/** The current values without their history: a program that wants it can keep it. */
function withoutSeries({ series: _, ...status }: Status): Omit<Status, 'series'> {
  return status
}

async function watch(
  { output }: CommandContext,
  source: TopSource,
  { every, count = Number.POSITIVE_INFINITY }: TopFlags,
): Promise<void> {
  const isScreen = process.stdout.isTTY && !output.json
  const stopped = new AbortController()
  process.once('SIGINT', () => stopped.abort())
  let shown = 0
  while (shown < count) {
    const status = await ask(source)
    // The first sample has no rates yet; a screen says so, a line would be empty.
    if (status.now || isScreen) {
      shown += 1
      if (output.json) await output.value(withoutSeries(status))
      else await output.write(isScreen ? printScreen(status, process.stdout) : printLine(status))
    }
    if (shown >= count) return
    await sleep(every * 1000, undefined, { signal: stopped.signal }).catch(() => undefined)
    if (stopped.signal.aborted) throw new Interrupted()
  }
}

export function addTop(program: Command, cli: CommandContext): void {
  program
    .command('top')
    .description('watch a running server: rates, times, routes, budgets, database')
    .option('--url <address>', 'the server, or its port for metrics')
    .option('--every <seconds>', 'time between two looks', parseNumber, 2)
    .option('--count <looks>', 'end after so many', parseNumber)
    .addHelpText(
      'after',
      `\nIt reads the port for metrics (METRICS_PORT), or the server itself with ${operatorKey} in BINDERY_KEY.\n\nExamples:\n  $ METRICS_PORT=9464 bindery top\n  $ BINDERY_KEY=bk_… bindery top --url https://api.example\n  $ bindery top --json --count 1 | jq .now.requests`,
    )
    .action((options: TopFlags) => watch(cli, readTopSource(options.url), options))
}
