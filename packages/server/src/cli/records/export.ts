/**
 * `bindery export <resource> [file]`: exports the stored fields and the links of a resource, in the
 * order of its id, as NDJSON or CSV. It never includes secrets. Computed values need `--fields`. A
 * file is complete or absent. `--all` has a file of its own.
 */

import { type Command, Option } from 'commander'
import { nowOf } from '../../base/clock.ts'
import { admitAtConsole, permitAtConsole } from '../../command/console-records.ts'
import { findResource } from '../../command/find-resource.ts'
import { plainJson, plainLines } from '../../command/output.ts'
import { UsageError } from '../../command/usage-error.ts'
import { ApiError } from '../../errors.ts'
import { parseList } from '../../operation/list-query.ts'
import type { ExportOperation, ListQuery } from '../../operation/operation.ts'
import type { Engine } from '../../perform/engine.ts'
import type { ListResult, StreamResult } from '../../perform/result.ts'
import type { Admission } from '../../policy/policy.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { Field } from '../../resource/fields/field.ts'
import { takesValues } from '../../resource/fields/field-facts.ts'
import { listParameters, reservedParameters } from '../../resource/list-style.ts'
import { consolePrincipal } from '../../resource/principal.ts'
import { sayings } from '../../service/features.ts'
import { type Represented, representRecord } from '../../value/represent.ts'
import { type CommandContext, withEngine } from '../console.ts'
import { formatOf, formats, isStandard, type LineFormat } from '../lines/format.ts'
import { openTarget } from '../lines/target.ts'
import { formatSeconds, startProgress } from '../terminal/progress.ts'

type ExportFlags = { format?: string; where: readonly string[]; sort?: string; fields?: string; force?: true }

type ExportRequest = { readonly word: string; readonly file: string | undefined; readonly options: ExportFlags }

/**
 * `q` and `filter` are filters; the other parameters of a list have options of their own, or do not
 * apply.
 */
function isFilter(name: string): boolean {
  const { q, filter } = listParameters
  return name === q.name || name === filter.name || !reservedParameters.has(name)
}

/** `['price[gte]=10']` → the parameters of the same list over HTTP. Throws `UsageError`. */
function parametersOf({ where, sort, fields }: ExportFlags): Map<string, string> {
  const parameters = new Map<string, string>()
  for (const text of where) {
    const at = text.indexOf('=')
    const name = text.slice(0, Math.max(at, 0))
    if (at < 1 || !isFilter(name)) throw new UsageError(`--where must be a filter such as price[gte]=10, not ${text}`)
    if (parameters.has(name)) throw new UsageError(`--where names ${name} twice`)
    parameters.set(name, text.slice(at + 1))
  }
  if (sort !== undefined) parameters.set('sort', sort)
  if (fields !== undefined) parameters.set('fields', fields)
  return parameters
}

function operationOf(engine: Engine, admission: Admission, options: ExportFlags): ExportOperation {
  const { policy, catalog } = engine
  const now = nowOf(engine)
  const principal = consolePrincipal(catalog)
  const { resource } = admission.target
  const sightOf = (one: Resource) => policy.view(principal, one)
  try {
    const { query, select, expand } = parseList(
      { resource, visible: admission.visible, visibleWhere: admission.visibleWhere, viewOf: sightOf, now },
      parametersOf(options),
    )
    if (expand) throw new UsageError('an export shows no relations: --fields names fields of the resource itself')
    const sort = options.sort === undefined ? [{ field: resource.idField, descending: false }] : query.sort
    const isGiven = (name: string) => takesValues(resource.fields[name] as Field)
    const given = resource.fieldNames.filter((name) => isGiven(name) && admission.visible.has(name))
    return {
      kind: 'export',
      resource,
      under: undefined,
      query: { ...query, sort, paging: { kind: 'all' }, total: false },
      select: select ?? given,
    }
  } catch (error) {
    if (error instanceof ApiError) throw new UsageError(error.message)
    throw error
  }
}

/** The number of matching records, for the progress: the same filter as a list. */
async function countOf(engine: Engine, { resource, query }: ExportOperation): Promise<number> {
  const { perform } = await import('../../perform/perform.ts')
  const one: ListQuery = { ...query, paging: { kind: 'page', page: 1, limit: 1 }, total: true }
  const counting = { kind: 'list', resource, under: undefined, select: [resource.idField], query: one } as const
  const permitted = permitAtConsole(engine, counting)
  const { page } = (await perform(engine, permitted)) as ListResult
  return page.kind === 'page' ? (page.total ?? 0) : 0
}

type RowPrinter = { readonly head: string; rows(records: readonly Represented[]): string }

type ExportedFields = { readonly resource: Resource; readonly names: readonly string[] }

/** A file gets texts as they are stored; on a terminal, control characters are escaped. */
async function printerOf(
  { resource, names }: ExportedFields,
  format: LineFormat,
  isShown: boolean,
): Promise<RowPrinter> {
  if (format === 'ndjson') {
    const print = (record: Represented) => JSON.stringify(record)
    const line = isShown ? (record: Represented) => plainJson(print(record)) : print
    return { head: '', rows: (records) => records.map((record) => `${line(record)}\n`).join('') }
  }
  const { csvRows } = await import('../lines/csv.ts')
  const { printCsv } = await import('../../value/print-csv.ts')
  const rows = (records: readonly Represented[]) => csvRows(resource, names, records)
  return { head: printCsv([names]), rows: isShown ? (records) => plainLines(rows(records)) : rows }
}

async function run(cli: CommandContext, { word, file, options }: ExportRequest): Promise<void> {
  const format = formatOf(file, options.format)
  await withEngine(cli, async (engine) => {
    const { perform } = await import('../../perform/perform.ts')
    const resource = findResource(engine.catalog, word)
    const admission = admitAtConsole(engine, { resource, operation: 'export' })
    const operation = operationOf(engine, admission, options)
    const names = operation.select ?? []
    const isShown = isStandard(file) && process.stdout.isTTY === true
    const printer = await printerOf({ resource, names }, format, isShown)
    const { chunks } = (await perform(engine, engine.policy.permit(admission, operation))) as StreamResult
    const target = await openTarget(file, cli.output, { force: options.force })
    const quiet = cli.output.json || isShown
    const total = quiet ? undefined : await countOf(engine, operation)
    const progress = startProgress({ label: `export ${resource.slug}`, total, quiet })
    const stop = () => {
      target.abandon()
      process.exit(130)
    }
    process.on('SIGINT', stop)
    let count = 0
    try {
      await target.write(printer.head)
      for await (const rows of chunks) {
        await target.write(printer.rows(rows.map((row) => representRecord(resource, names, row))))
        count += rows.length
        progress.update(count, count)
      }
      await target.finish()
    } catch (error) {
      target.abandon()
      throw error
    } finally {
      progress.end()
    }
    process.off('SIGINT', stop)
    if (cli.output.json && !isStandard(file)) return cli.output.value({ resource: resource.slug, file, format, count })
    cli.output.note(`${resource.slug}: ${count} exported in ${formatSeconds(progress.seconds())}`)
  })
}

type ExportAllFlags = ExportFlags & { all?: string | true; withSecrets?: true }

type ExportChoice = {
  readonly word: string | undefined
  readonly file: string | undefined
  readonly options: ExportAllFlags
}

/** Throws `UsageError` for options that exclude each other. */
async function choose(cli: CommandContext, { word, file, options }: ExportChoice) {
  const { all, withSecrets, force, ...rest } = options
  if (all === undefined) {
    if (withSecrets) throw new UsageError('--with-secrets goes with --all: the export of one resource never has them')
    if (word === undefined)
      throw new UsageError("missing required argument 'resource', or --all <file> for the whole database")
    return run(cli, { word, file, options: { ...rest, force } })
  }
  // The file may follow other options
  const [whole, more] = all === true ? [word, file] : [all, word]
  if (more !== undefined || rest.where.length > 0 || Object.keys(rest).length > 1)
    throw new UsageError('--all is the whole database: it goes with --with-secrets and --force alone')
  if (whole === undefined)
    throw new UsageError('--all <file> needs a value: the file to write, or - for standard output')
  const { exportAll } = await import('./export-all.ts')
  return exportAll(cli, { file: whole, withSecrets, force })
}

export function addExport(program: Command, cli: CommandContext): void {
  const collect = (value: string, before: readonly string[]) => [...before, value]
  program
    .command('export')
    .description(
      'write a resource as NDJSON or CSV, or the whole database; import brings it back with its ids and times',
    )
    .argument('[resource]', 'for example products')
    .argument('[file]', 'standard output when absent or -')
    .addOption(
      new Option('--format <format>', 'by the extension unless said; NDJSON on standard output').choices(formats),
    )
    .option(
      '--where <filter>',
      'only what matches, as in the API: field=value, field[op]=value, q=words; may be repeated',
      collect,
      [],
    )
    .option('--sort <keys>', 'for example -price; by id unless said')
    .option('--fields <names>', 'only these fields, and the id')
    .option('--all [file]', 'the whole database as one file, for import --all; - for standard output')
    .option('--with-secrets', `with --all: ${sayings('secrets')} too`)
    .option('--force', 'replace the file if it is there')
    .addHelpText(
      'after',
      `
A file whose name ends in .gz is compressed. ${sayings('notExported')} Import what is
referred to first: users, then posts.

--all is for moving house: every resource as it is at one moment, with ids, versions and times, whatever refers to what. Only
its owner may read the file. ${sayings('exportedWithout')} Of a damaged database all
that can still be read is written; what is missing is listed in FILE.missing.ndjson, and the exit code is 1.

Examples:
  $ bindery export products products.csv
  $ bindery export orders --where 'status=PAID' --where 'total[gte]=100' | jq .total
  $ bindery export users - --format csv --fields email,role
  $ bindery export --all house.ndjson.gz --with-secrets`,
    )
    .action((word: string | undefined, file: string | undefined, options: ExportAllFlags) =>
      choose(cli, { word, file, options }),
    )
}
