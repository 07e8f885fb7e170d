/**
 * `npm run bench`: what a request costs, as a share of what a bare node:http server manages with the same bytes, on the same core, in the
 * same minute. The servers are measured in turn, several times; only the ratios mean anything. docs/performance.md says what is what.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bindery, handWritten } from './contestants.ts'
import { readFacts } from './facts.ts'
import { fill } from './fill.ts'
import { makeGenerator } from './generator.ts'
import { type Bench, type Field, type Line, measure } from './measure.ts'
import { type Options, readOptions } from './options.ts'
import { endAll, pinning } from './processes.ts'
import { linesTable } from './table.ts'
import { workloads } from './workloads.ts'

const folder = mkdtempSync(join(tmpdir(), 'bindery-bench-'))
const report = (text: string) => process.stderr.write(`${text}\n`)

async function runSize(size: number, options: Options): Promise<{ size: number; lines: Line[] }> {
  const filled = await fill(size, { folder, keep: options.keep }, report)
  const bench: Bench = {
    facts: readFacts(filled.plainFile, size),
    generator: makeGenerator(),
    timing: options,
    folder,
    report,
  }
  const field: Field[] = []
  for (const contestant of [bindery(filled.dataDir), handWritten(filled)]) {
    field.push({ contestant, served: await contestant.start() })
  }
  const lines: Line[] = []
  for (const workload of workloads) {
    if (options.only.includes(workload.name)) lines.push(await measure(bench, workload, field))
  }
  await endAll()
  rmSync(join(folder, `rows-${size}`), { recursive: true })
  return { size, lines }
}

async function main(): Promise<void> {
  const options = readOptions(
    process.argv.slice(2),
    workloads.map(({ name }) => name),
  )
  if (!options) return
  const results = []
  for (const size of options.sizes) results.push(await runSize(size, options))
  if (options.json) return void process.stdout.write(`${JSON.stringify({ pinning, results }, null, 2)}\n`)
  for (const result of results) {
    process.stdout.write(`\n${result.size.toLocaleString('en')} products; ${pinning}.\n\n${linesTable(result)}\n`)
  }
}

process.once('SIGINT', () => endAll().finally(() => process.exit(130)))
try {
  await main()
} catch (error) {
  report((error as Error).message)
  process.exitCode = 1
} finally {
  await endAll()
  rmSync(folder, { recursive: true, force: true })
}
