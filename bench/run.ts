/**
 * `npm run bench`: what a request costs, as a share of what a bare node:http server manages with the same bytes, on the same core, in the
 * same minute. The servers are measured in turn, several times; only the ratios mean anything. docs/performance.md says what is what.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeGenerator } from './generator.ts'
import { type Options, readOptions } from './options.ts'
import { writePlots } from './plot.ts'
import { endAll, pinning } from './processes.ts'
import { names, type Result, runSize } from './run-size.ts'
import { figuresTable, growth, linesTable } from './table.ts'

const folder = mkdtempSync(join(tmpdir(), 'bindery-bench-'))
const report = (text: string) => process.stderr.write(`${text}\n`)

function print(results: readonly Result[], { rounds, seconds, connections }: Options): void {
  const about = `Node ${process.versions.node}, ${cpus()[0]?.model ?? 'unknown processor'}; ${pinning}.`
  const parts = [`${about}\n${rounds} rounds of ${seconds} s, ${connections} connections, medians.`]
  for (const result of results) {
    parts.push(`${result.size.toLocaleString('en')} products`)
    if (result.lines.length > 0) parts.push(linesTable(result))
    if (result.figures.length > 0) parts.push(figuresTable(result.figures))
    const limited = result.lines.filter(({ loadBusy }) => loadBusy > 0.95).map(({ name }) => name)
    if (limited.length > 0)
      parts.push(`The load's own core was the limit of the bare server at: ${limited.join(', ')}.`)
  }
  const differ = results.flatMap(({ lines }) => lines.filter(({ agree }) => !agree).map(({ name }) => name))
  if (differ.length > 0)
    parts.push(`Bindery and the hand-written routes did not give the same records at: ${differ.join(', ')}.`)
  const grown = growth(results)
  if (grown) parts.push(grown)
  process.stdout.write(`\n${parts.join('\n\n')}\n`)
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), names)
  if (!options) return
  const generator = makeGenerator()
  const peers = async () => []
  const results: Result[] = []
  for (const size of options.sizes) results.push(await runSize(size, options, { folder, generator, report, peers }))
  if (options.plots) writePlots(options.plots, results)
  if (options.json) process.stdout.write(`${JSON.stringify({ pinning, options, results }, null, 2)}\n`)
  else print(results, options)
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
