/**
 * Other servers of tables without hand-written routes. They are no dependencies: npm installs them
 * into a temporary folder on demand. Each gets the workloads that it supports, in its own query
 * language, over the same rows.
 */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { type Contestant, textOf } from './contestants.ts'
import type { Filled } from './fill.ts'
import type { Field } from './measure.ts'
import { postgraphileAndBindery } from './peers-postgres.ts'
import { serve } from './processes.ts'
import type { Ask } from './workloads.ts'

const run = promisify(execFile)
const packages: Readonly<Record<string, readonly string[]>> = {
  feathers: ['@feathersjs/feathers@5', '@feathersjs/koa@5', '@feathersjs/knex@5', 'knex@3', 'better-sqlite3'],
  'json-server': ['json-server@0.17'],
  postgraphile: ['postgraphile@5'],
}
export const peerNames = Object.keys(packages)

export type PeerParts = {
  readonly filled: Filled
  readonly folder: string
  readonly report: (text: string) => void
  readonly onEnd: (work: () => Promise<void>) => void
}

const noCredentials = async () => ({ token: '', key: '' })
const base = '/api/v1/products'
const columnOf = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Throws with what npm said. */
async function install(name: string, { folder, report }: PeerParts): Promise<string> {
  const home = join(folder, name)
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'package.json'), '{ "private": true, "type": "module" }')
  const wanted = packages[name] ?? []
  report(`npm install ${wanted.join(' ')}, into ${home}`)
  await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...wanted], { cwd: home })
  return home
}

/** `{ sort: '-price', page: '3', minPrice: '5' }` → `$sort[price]=-1&$skip=40&price[$gte]=500` */
function feathersQuery({
  sort = '-createdAt',
  page = '1',
  limit = '20',
  ...filters
}: Readonly<Record<string, string>>) {
  const query: Record<string, string> = { $limit: limit, $skip: String((Number(page) - 1) * Number(limit)) }
  for (const key of sort.split(','))
    query[`$sort[${columnOf(key.replace('-', ''))}]`] = key.startsWith('-') ? '-1' : '1'
  if (filters.category) query.category = filters.category
  if (filters.inStock) query.in_stock = filters.inStock === 'true' ? '1' : '0'
  if (filters.minPrice) query['price[$gte]'] = String(Math.round(Number(filters.minPrice) * 100))
  if (filters.maxPrice) query['price[$lte]'] = String(Math.round(Number(filters.maxPrice) * 100))
  return query
}

/** The workloads that the peers support: products by id and in lists, without search. */
const isProducts = ({ path, query, method }: Ask) =>
  method === undefined && path.startsWith(base) && query?.q === undefined && !query?.sort?.includes('stock')

function feathers(home: string, { filled }: PeerParts): Contestant {
  const script = join(home, 'feathers.mjs')
  cpSync(join(import.meta.dirname, 'peers/feathers.mjs'), script)
  return {
    name: 'Feathers + Knex',
    start: () =>
      serve({
        command: (port) => [process.execPath, script, String(port), filled.plainFile],
        ready: '/products?$limit=1',
      }),
    requestOf(ask, credentials) {
      if (!isProducts(ask)) return undefined
      const path = ask.path.replace(base, '/products')
      return textOf({ path, ...(ask.query && { query: feathersQuery(ask.query) }) }, credentials)
    },
    logIn: noCredentials,
  }
}

/** It keeps everything in memory, as one JSON document. */
function jsonServerQuery({
  sort = '-createdAt',
  page = '1',
  limit = '20',
  ...filters
}: Readonly<Record<string, string>>) {
  const keys = sort.split(',')
  const { category, inStock, minPrice, maxPrice, q } = filters
  return {
    _page: page,
    _limit: limit,
    _sort: keys.map((key) => key.replace('-', '')).join(','),
    _order: keys.map((key) => (key.startsWith('-') ? 'desc' : 'asc')).join(','),
    ...(category && { category }),
    ...(inStock && { inStock }),
    ...(minPrice && { price_gte: minPrice }),
    ...(maxPrice && { price_lte: maxPrice }),
    ...(q && { q }),
  }
}

function jsonServer(home: string, { filled }: PeerParts): Contestant {
  const database = new DatabaseSync(filled.plainFile, { readOnly: true })
  const fields = `id, name, description, category, json(iif(in_stock, 'true', 'false')) AS inStock, stock, price / 100.0 AS price,
    created_at AS createdAt, updated_at AS updatedAt`
  const all = (sql: string) => database.prepare(sql).all()
  const products = all(`SELECT ${fields} FROM products ORDER BY row`).map((row) => ({
    ...row,
    inStock: row.inStock === 'true',
  }))
  const file = join(home, 'rows.json')
  writeFileSync(file, JSON.stringify({ products, books: all('SELECT id, title, author, year FROM books') }))
  database.close()
  const program = join(home, 'node_modules/json-server/lib/cli/bin.js')
  return {
    name: 'json-server',
    start: () =>
      serve({
        command: (port) => [process.execPath, program, file, '--quiet', '--host', '127.0.0.1', '--port', String(port)],
        ready: '/books/1',
      }),
    requestOf(ask, credentials) {
      if (ask.path === '/books')
        return textOf({ path: '/books', query: { author_like: ask.query?.author ?? '' } }, credentials)
      if (ask.method !== undefined || !ask.path.startsWith(base)) return undefined
      const path = ask.path.replace(base, '/products')
      return textOf({ path, ...(ask.query && { query: jsonServerQuery(ask.query) }) }, credentials)
    },
    logIn: noCredentials,
  }
}

async function make(name: string, parts: PeerParts): Promise<Contestant[]> {
  const home = await install(name, parts)
  if (name === 'feathers') return [feathers(home, parts)]
  if (name === 'json-server') return [jsonServer(home, parts)]
  return postgraphileAndBindery(home, parts)
}

/**
 * Those that were asked for and that start; of the others, why they do not. The run goes on without
 * them.
 */
export async function startPeers(
  names: readonly string[],
  parts: PeerParts,
): Promise<{ peers: Field[]; missing: string[] }> {
  const peers: Field[] = []
  const missing: string[] = []
  for (const name of names) {
    try {
      for (const contestant of await make(name, parts)) peers.push({ contestant, served: await contestant.start() })
    } catch (error) {
      missing.push(`${name} (${(error as Error).message.trim().split('\n').at(0)})`)
      parts.report(`${name} could not be had: ${(error as Error).message}`)
    }
  }
  return { peers, missing }
}
