/**
 * `npm run bench`: requests a second, as a share of what a bare node:http server manages with the same bytes, on the same machine in the
 * same minute. The two are measured in turn, several times; only the ratio means anything.
 *
 *   npm run bench -- --products 100000 --seconds 4 --rounds 3
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { demoProducts } from '../apps/shop/demo/products.ts'
import { resources } from '../apps/shop/resources/index.ts'
import { timestampOf } from '../packages/server/src/clock.ts'
import { readConfig } from '../packages/server/src/config.ts'
import { openEngine } from '../packages/server/src/service/open-engine.ts'
import { serviceAuthor } from '../packages/server/src/storage/changes.ts'

const { values } = parseArgs({
  options: {
    products: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
  },
})
const folder = mkdtempSync(join(tmpdir(), 'bindery-bench-'))
const children: ChildProcess[] = []

/** Starts a program and waits for the line with its address. */
function launch(file: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const child = spawn(process.execPath, [file, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  return new Promise((resolve, reject) => {
    let found = false
    child.stdout?.on('data', (data: Buffer) => {
      const address = found ? undefined : /http:\/\/127\.0\.0\.1:\d+/.exec(data.toString())?.[0]
      if (address) resolve(address)
      found ||= address !== undefined
    })
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)))
  })
}

async function fill(count: number): Promise<void> {
  const engine = await openEngine(readConfig({ DATA_DIR: folder }), resources)
  const product = engine.catalog.get('product')
  const start = Date.parse('2026-01-01T00:00:00Z')
  const made = demoProducts(count)
  for (let from = 0; from < made.length; from += 5000) {
    const rows = made.slice(from, from + 5000).map((one, i) => {
      const now = timestampOf(start + (from + i) * 1000)
      return { ...one, price: Math.round(one.price * 100), id: engine.makeId(), createdAt: now, updatedAt: now }
    })
    await engine.records.transaction(serviceAuthor, async (writing) => {
      const records = []
      for (const row of rows) records.push(await writing.prepare(product, row))
      await writing.insertAll(records)
    })
    process.stderr.write(`\r${Math.min(from + 5000, made.length)} of ${made.length} products`)
  }
  process.stderr.write('\n')
  await engine.storage.close()
}

async function measure(url: string): Promise<number> {
  const result = await autocannon({ url, connections: 32, pipelining: 1, duration: Number(values.seconds) })
  if (result.non2xx > 0) throw new Error(`${url}: ${result.non2xx} answers were not 2xx`)
  return result.requests.average
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number

async function compare(name: string, url: string): Promise<string[]> {
  const bytes = Buffer.from(await (await fetch(url)).arrayBuffer())
  const file = join(folder, 'body.json')
  writeFileSync(file, bytes)
  const bare = await launch(join(import.meta.dirname, 'bare.ts'), [file])
  const own: number[] = []
  const limit: number[] = []
  for (let round = 0; round < Number(values.rounds); round += 1) {
    limit.push(await measure(bare))
    own.push(await measure(url))
    process.stderr.write(`${name}: ${Math.round(own.at(-1) as number)} of ${Math.round(limit.at(-1) as number)}\n`)
  }
  children.at(-1)?.kill()
  const ratios = own.map((rate, i) => rate / (limit[i] as number))
  return [
    name,
    String(bytes.length),
    String(Math.round(median(limit))),
    String(Math.round(median(own))),
    median(ratios).toFixed(3),
  ]
}

try {
  await fill(Number(values.products))
  const main = join(import.meta.dirname, '../apps/shop/main.ts')
  const url = await launch(main, [], {
    DATA_DIR: folder,
    PORT: '0',
    ADMIN_EMAIL: 'admin@localhost',
    ADMIN_PASSWORD: 'only for the bench',
  })
  const list = (await (await fetch(`${url}/api/v1/products?limit=1`)).json()) as {
    data: { id: string; category: string }[]
  }
  const [product] = list.data
  const rows = [
    await compare('a row by id', `${url}/api/v1/products/${product?.id}`),
    await compare(
      'list of 20: filter, sort, total',
      `${url}/api/v1/products?category=${encodeURIComponent(product?.category ?? '')}&inStock=true&sort=-price&limit=20`,
    ),
    await compare('list of 20: default', `${url}/api/v1/products`),
    await compare('search', `${url}/api/v1/products?q=lamp&limit=20`),
  ]
  const table = [
    ['what', 'bytes', 'bare node:http /s', 'Bindery /s', 'ratio'],
    ['---', '---:', '---:', '---:', '---:'],
    ...rows,
  ]
  const text = `${values.products} products, one core for the server, ${values.rounds} rounds of ${values.seconds} s, medians.\n\n${table.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`
  writeFileSync(join(import.meta.dirname, 'last.md'), text)
  process.stdout.write(`\n${text}`)
} finally {
  for (const child of children) child.kill()
  rmSync(folder, { recursive: true, force: true })
}
