/**
 * NDJSON imports through the API, and inserts into the same table by a hand-written transaction
 * after the service has ended.
 */
import { type Figure, type Measurement, perSecond } from './figure.ts'
import { type Bench, type Field, median } from './measure.ts'
import { printedBy } from './processes.ts'
import { makeRandom } from './random.ts'
import { create } from './workloads.ts'

export const importedRows = (products: number) => Math.min(20_000, products)

async function measureOne(
  { facts, timing, report }: Bench,
  { contestant, served }: Field,
): Promise<Omit<Figure, 'name'>> {
  const random = makeRandom(13)
  const rows = importedRows(facts.counts.products)
  const rates: number[] = []
  for (let i = 0; i < timing.rounds; i += 1) {
    const lines = Array.from({ length: rows }, () => `${JSON.stringify(create(random, facts.categories).body)}\n`)
    const { key } = await contestant.logIn(served.port)
    const headers = { 'content-type': 'application/x-ndjson', 'x-api-key': key }
    const began = performance.now()
    const url = `http://127.0.0.1:${served.port}/api/v1/products/import`
    const response = await fetch(url, { method: 'POST', headers, body: lines.join('') })
    const answer = (await response.json()) as { created: number }
    if (answer.created !== rows) throw new Error(`import: ${response.status} ${JSON.stringify(answer)}`)
    rates.push((rows * 1000) / (performance.now() - began))
    report(`import: ${contestant.name} ${perSecond(rates.at(-1) as number)}`)
  }
  const rate = median(rates)
  return {
    title: `import of ${rows.toLocaleString('en')} lines through the API`,
    contestant: contestant.name,
    text: perSecond(rate),
    values: { perSecond: rate },
  }
}

export const imports: Measurement = {
  name: 'import',
  title: 'import of NDJSON through the API, beside a transaction written by hand',
  async measure(bench, field) {
    const figures = []
    for (const one of field) figures.push(await measureOne(bench, one))
    return figures
  },
}

/**
 * Takes the last rows out of the file of a service that has ended, and measures putting them back,
 * as often as there are rounds.
 */
export async function measureByHand({ facts, timing, report }: Bench, file: string): Promise<Omit<Figure, 'name'>> {
  const rows = importedRows(facts.counts.products)
  const rate = median(await printedBy<number[]>('insert-rows.ts', [file, String(rows), String(timing.rounds)]))
  report(`import: by hand into the same table ${perSecond(rate)}`)
  return {
    title: `import of ${rows.toLocaleString('en')} lines through the API`,
    contestant: 'node:sqlite into the same table',
    text: perSecond(rate),
    values: { perSecond: rate },
  }
}
