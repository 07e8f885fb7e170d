/**
 * `npm run bench`: the throughput of a request as a share of a bare node:http server's. Both send
 * the same bytes, on the same core, in the same minute. The servers are measured in turn, several
 * times; only the ratios mean anything. bench/README.md explains the table.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeGenerator } from './generator.ts'
import { type Options, readOptions } from './options.ts'
import { peerNames, startPeers } from './peers.ts'
import { writePlots } from './plot.ts'
import { endAll, pinning } from './processes.ts'
import { names, type Peers, type Result, runSize } from './run-size.ts'
import { figuresTable, growth, linesTable } from './table.ts'

const folder = mkdtempSync(join(tmpdir(), 'bindery-bench-'))
const report = (text: string) => process.stderr.write(`${text}\n`)

/** Stops to call at the end, besides the processes that were launched here. */
const atEnd: (() => Promise<void>)[] = []

async function endPeers(): Promise<void> {
  await Promise.all(atEnd.splice(0).map((work) => work()))
}

function print(
  results: readonly Result[],
  { rounds, seconds, connections }: Options,
  missing: readonly string[],
): void {
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
  if (missing.length > 0) parts.push(`Could not be had: ${missing.join('; ')}.`)
  const grown = growth(results)
  if (grown) parts.push(grown)
  process.stdout.write(`\n${parts.join('\n\n')}\n`)
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), { known: names, peers: peerNames })
  if (!options) return
  const generator = makeGenerator()
  const missing: string[] = []
  const peers: Peers = async (filled) => {
    const made = await startPeers(options.against, { filled, folder, report, onEnd: (work) => atEnd.push(work) })
    missing.push(...made.missing)
    return made.peers
  }
  const results: Result[] = []
  for (const size of options.sizes) {
    results.push(await runSize(size, options, { folder, generator, report, peers }))
    await endPeers()
  }
  if (options.plots) writePlots(options.plots, results)
  if (options.json) process.stdout.write(`${JSON.stringify({ pinning, options, missing, results }, null, 2)}\n`)
  else print(results, options, missing)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await Promise.all([endAll(), endPeers()])
    rmSync(folder, { recursive: true, force: true })
    process.exit(130)
  })
}
try {
  await main()
} catch (error) {
  report((error as Error).message)
  process.exitCode = 1
} finally {
  await endAll()
  await endPeers()
  rmSync(folder, { recursive: true, force: true })
}
// Packages that others brought must not decide the exit code.
process.exit(process.exitCode ?? 0)
