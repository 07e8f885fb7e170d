/**
 * `bindery import <resource> [file]`: imports NDJSON or CSV into any resource. Good lines are
 * stored, a batch in one transaction; bad ones are reported and saved with their reason. Exported
 * records keep their ids and times. Ctrl-C finishes the running batch and reports the position.
 */
import { resolve } from 'node:path'
import { permitAtConsole } from '../../command/console-records.ts'
import { findResource } from '../../command/find-resource.ts'
import type { Output } from '../../command/output.ts'
import { Interrupted, UsageError } from '../../command/usage-error.ts'
import { StartError } from '../../errors.ts'
import type { ImportLine, ImportOperation } from '../../operation/operation.ts'
import type { Engine } from '../../perform/engine.ts'
import { importLines, type LineResult } from '../../perform/imports/import-lines.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { sayings } from '../../service/features.ts'
import { type CommandContext, withDryRun, withEngine } from '../console.ts'
import { formatSeconds, type Progress, startProgress } from '../terminal/progress.ts'
import { formatOf, isStandard, type LineFormat } from './format.ts'
import { importByKeys } from './import-rounds.ts'
import { columnField, parseMatch } from './natural-keys.ts'
import { ndjsonLines } from './ndjson.ts'
import { makeRejects, type Rejects } from './rejects.ts'
import { type InputSource, openSource } from './source.ts'

export type ImportFlags = { format?: string; rejects?: string; fromLine?: string; match?: string; dryRun?: true }
type ImportRequest = { readonly word: string; readonly file: string | undefined; readonly options: ImportFlags }
type ImportSummary = { created: number; updated: number; rejected: number; lastLine: number; withoutSecret: number }
type ImportRun = {
  readonly resource: Resource
  readonly source: InputSource
  readonly lines: AsyncIterable<ImportLine>
  readonly progress: Progress
  readonly rejects: Rejects
  readonly match: readonly string[] | undefined
  readonly stop: AbortSignal
  /** The lines that were read and have no result yet, in their order. */
  readonly unfinished: Set<number>
}

/**
 * Throws `StartError` for resources with a required secret that no export includes and that cannot
 * be made again.
 */
function checkImportable(resource: Resource): void {
  const secret = resource.storedNames.find((name) => {
    const field = resource.fields[name]
    const { secret } = field?.type ?? {}
    return (secret === 'kept' || secret === 'sealed') && !field?.nullable
  })
  if (secret) throw new StartError(`${resource.slug} cannot be imported: their ${secret} is never exported`)
}

function rejectsFile(file: string | undefined, { rejects, dryRun }: ImportFlags): string | undefined {
  const target = rejects ?? (isStandard(file) || dryRun ? undefined : `${file}.rejects.ndjson`)
  if (target !== undefined && !isStandard(file) && resolve(target) === resolve(file)) {
    throw new UsageError('--rejects must be another file than the one that is read')
  }
  return target
}

function firstLine({ fromLine = '1' }: ImportFlags): number {
  if (!/^[1-9]\d{0,14}$/.test(fromLine)) throw new UsageError(`--from-line must be a line number, not ${fromLine}`)
  return Number(fromLine)
}

/** The lines from the first wanted one, until the file ends or Ctrl-C. */
async function* wantedLines(
  lines: AsyncIterable<ImportLine>,
  from: number,
  { stop, unfinished }: Pick<ImportRun, 'stop' | 'unfinished'>,
): AsyncGenerator<ImportLine> {
  for await (const line of lines) {
    if (stop.aborted) return
    if (line.line < from) continue
    unfinished.add(line.line)
    yield line
  }
}

type LineReading = { readonly catalog: Catalog; readonly resource: Resource; readonly format: LineFormat }

async function linesOf(
  { catalog, resource, format }: LineReading,
  source: InputSource,
): Promise<AsyncIterable<ImportLine>> {
  if (format === 'ndjson') return ndjsonLines(source.chunks)
  const { csvLines } = await import('./csv.ts')
  return csvLines({ resource, fieldOf: (column) => columnField(catalog, resource, column) }, source.chunks)
}

/** Notes lines without the secret with which their records log in. */
async function* notingSecrets(
  { fields, traits }: Resource,
  lines: readonly ImportLine[],
  without: Set<number>,
): AsyncGenerator<ImportLine> {
  const secret = traits.credentials.find((name) => fields[name]?.type.secret === 'sent')
  for (const { line, text, parse } of lines) {
    const parseNoting = () => {
      const value = parse()
      if (secret !== undefined && (value as Record<string, unknown> | null)?.[secret] === undefined) without.add(line)
      return value
    }
    yield { line, text, parse: parseNoting }
  }
}

/** Updates the summary line by line, so that it is right whenever the import stops. */
async function importAll(
  engine: Engine,
  { resource, source, lines, progress, rejects, match, stop, unfinished }: ImportRun,
  summary: ImportSummary,
): Promise<void> {
  const without = new Set<number>()
  async function* store(some: readonly ImportLine[]): AsyncGenerator<LineResult> {
    const noted = notingSecrets(resource, some, without)
    const operation: ImportOperation = { kind: 'import', resource, under: undefined, select: null, lines: noted }
    yield* importLines(engine, permitAtConsole(engine, operation))
  }
  let rows = 0
  for await (const done of importByKeys({ engine, resource, match, lines, stop, store })) {
    rows += 1
    unfinished.delete(done.line)
    summary[done.done] += 1
    summary.lastLine = Math.max(summary.lastLine, done.line)
    if (without.delete(done.line) && done.done === 'created') summary.withoutSecret += 1
    if (done.done === 'rejected') rejects.add(done)
    progress.update(rows, source.bytesRead())
  }
}

type ImportEnd = {
  readonly resource: Resource
  readonly dryRun: boolean
  readonly rejects: string | undefined
  readonly stopped: boolean
  readonly seconds: number
}

async function tell(cli: CommandContext, summary: ImportSummary, ending: ImportEnd): Promise<void> {
  const { withoutSecret, ...counted } = summary
  const { created, updated, rejected } = counted
  const { resource, dryRun, rejects = null, stopped, seconds } = ending
  if (cli.output.json)
    return cli.output.value({ resource: resource.slug, ...counted, rejects, stopped, ...(dryRun && { dryRun }) })
  const where = rejects === null ? '' : ` (with their reasons in ${rejects})`
  const counts = `${created} created, ${updated} updated, ${rejected} rejected${where}`
  if (dryRun) return cli.output.write(`${resource.slug}: ${counts}, if it were no dry run; nothing was written\n`)
  await cli.output.write(`${resource.slug}: ${counts} in ${formatSeconds(seconds)}\n`)
  if (withoutSecret > 0) {
    cli.output.note(sayings('afterImport'))
  }
}

/** The first Ctrl-C stops reading, the second stops the process. */
function stopOnInterrupt(output: Output): AbortSignal {
  const controller = new AbortController()
  process.on('SIGINT', () => {
    if (controller.signal.aborted) process.exit(130)
    output.note('Finishing the running batch; Ctrl-C again to stop at once')
    controller.abort()
  })
  return controller.signal
}

export async function importResource(cli: CommandContext, { word, file, options }: ImportRequest): Promise<void> {
  const format = formatOf(file, options.format)
  const from = firstLine(options)
  const rejects = makeRejects(rejectsFile(file, options), cli.output)
  const { dryRun = false } = options
  const work = async (engine: Engine) => {
    const resource = findResource(engine.catalog, word)
    checkImportable(resource)
    const match = options.match === undefined ? undefined : parseMatch(resource, options.match)
    const stop = stopOnInterrupt(cli.output)
    const source = await openSource(file, stop)
    const unfinished = new Set<number>()
    const all = await linesOf({ catalog: engine.catalog, resource, format }, source)
    const lines = wantedLines(all, from, { stop, unfinished })
    const progress = startProgress({
      label: `import ${resource.slug}`,
      total: source.bytesTotal,
      quiet: cli.output.json,
    })
    const summary: ImportSummary = { created: 0, updated: 0, rejected: 0, lastLine: 0, withoutSecret: 0 }
    let failure: unknown
    try {
      await importAll(engine, { resource, source, lines, progress, rejects, match, stop, unfinished }, summary)
    } catch (error) {
      failure = error
    }
    progress.end()
    const ending: ImportEnd = {
      resource,
      dryRun,
      rejects: rejects.end(),
      stopped: stop.aborted,
      seconds: progress.seconds(),
    }
    if (failure === undefined || summary.lastLine > 0) await tell(cli, summary, ending)
    if (failure !== undefined) {
      const [next = summary.lastLine + 1] = unfinished
      if (summary.lastLine > 0 && !dryRun) cli.output.note(`the import ended early; go on with --from-line ${next}`)
      throw failure
    }
    const { rejected, lastLine } = summary
    if (stop.aborted && dryRun) throw new Interrupted(`stopped after line ${lastLine}`)
    if (stop.aborted) throw new Interrupted(`stopped after line ${lastLine}; go on with --from-line ${lastLine + 1}`)
    if (rejected > 0)
      throw new StartError(`${rejected} of ${summary.created + summary.updated + rejected} lines were rejected`)
  }
  await (dryRun ? withDryRun(cli, work) : withEngine(cli, work, 'empty'))
}
