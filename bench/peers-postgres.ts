/**
 * PostGraphile over Bindery's tables on PostgreSQL, and Bindery on the same rows, copied, in one
 * embedded PostgreSQL.
 */
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bindery, type Contestant, textOf } from './contestants.ts'
import type { PeerParts } from './peers.ts'
import { cores, pinned, serve } from './processes.ts'
import type { Ask } from './workloads.ts'

const root = join(import.meta.dirname, '..')
/** It calls the column `id` `rowId`, because `id` is Relay's. */
const record = 'rowId name description category inStock stock price createdAt updatedAt'
const base = '/api/v1/products'

/** `-price` → `PRICE_DESC`, `createdAt` → `CREATED_AT_ASC` */
function orderOf(sort: string): string {
  const name = sort.replace('-', '').replace(/[A-Z]/g, (letter) => `_${letter}`)
  return `${name.toUpperCase()}_${sort.startsWith('-') ? 'DESC' : 'ASC'}`
}

/**
 * The same list with exact total, as a query with variables, which is how it is fastest; undefined
 * for what its conditions cannot say.
 */
function queryOf({ path, query = {}, method }: Ask): { query: string; variables: object } | undefined {
  if (method !== undefined || !path.startsWith(base)) return undefined
  const id = path.slice(base.length + 1)
  if (id) return { query: `query ($id: String!) { productByRowId(rowId: $id) { ${record} } }`, variables: { id } }
  const { sort = '-createdAt', page = '1', limit = '20', category, inStock, ...others } = query
  if (Object.keys(others).length > 0) return undefined
  const condition = { ...(category && { category }), ...(inStock && { inStock: inStock === 'true' }) }
  return {
    query: `query ($first: Int, $offset: Int, $order: [ProductOrderBy!], $condition: ProductCondition) {
      allProducts(first: $first, offset: $offset, orderBy: $order, condition: $condition) { nodes { ${record} } totalCount }
    }`,
    variables: { first: Number(limit), offset: (Number(page) - 1) * Number(limit), order: [orderOf(sort)], condition },
  }
}

function postgraphile(home: string, url: string): Contestant {
  const options = ['-P', 'postgraphile/presets/amber', '-c', url, '-s', 'public', '-n', '127.0.0.1']
  return {
    name: 'PostGraphile',
    start: () =>
      serve({
        command: (port) => [
          process.execPath,
          join(home, 'node_modules/.bin/postgraphile'),
          ...options,
          '-p',
          String(port),
        ],
        env: () => ({ NODE_ENV: 'production', GRAPHILE_ENV: 'production' }),
        cwd: home,
        ready: '/graphql?query=%7B__typename%7D',
      }),
    requestOf(ask, credentials) {
      const body = queryOf(ask)
      return body && textOf({ method: 'POST', path: '/graphql', body }, credentials)
    },
    logIn: async () => ({ token: '', key: '' }),
  }
}

/** PostgreSQL shares the servers' core: what it does for a request is a part of its cost. */
export async function postgraphileAndBindery(
  home: string,
  { filled, folder, report, onEnd }: PeerParts,
): Promise<Contestant[]> {
  // Loaded only now, because it decides how the process ends.
  const { startCluster } = await import('../packages/server/src/testing/postgres.ts')
  const cluster = await startCluster(['shared_buffers=512MB'])
  onEnd(() => cluster.remove())
  const [postmaster] = readFileSync(join(cluster.folder, 'postmaster.pid'), 'utf8').split('\n')
  if (cores) execFileSync('taskset', ['-acp', cores.server, postmaster as string], { stdio: 'ignore' })
  report('copying the rows to PostgreSQL')
  const from = `sqlite:${join(filled.dataDir, 'bindery.db')}`
  const [file, ...args] = pinned('load', [
    process.execPath,
    join(root, 'packages/server/src/bindery.ts'),
    'copy',
    '--from',
    from,
    '--to',
    cluster.url,
  ])
  await promisify(execFile)(file, args)
  const dataDir = join(folder, 'bindery-on-postgres')
  return [
    bindery(dataDir, { name: 'Bindery on PostgreSQL', env: { DATABASE_URL: cluster.url } }),
    postgraphile(home, cluster.url),
  ]
}
