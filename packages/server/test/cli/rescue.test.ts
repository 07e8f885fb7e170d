/**
 * Damaged files, each rescued by the documented command. An import restores every readable record,
 * the command lists the unreadable ones, and no record appears that did not exist before.
 */
import assert from 'node:assert/strict'
import { closeSync, cpSync, existsSync, openSync, readFileSync, statSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, type TestContext, test } from 'node:test'
import { long } from '../helpers/long.ts'
import { embedded, makeBindery } from './bindery.ts'

const pageBytes = 4_096
const editionsCount = 900
const shelvesCount = 300

type Page = { readonly name: string; readonly page: number; readonly kind: string; readonly cells: number }
type File = {
  readonly path: string
  readonly pages: readonly Page[]
  /** Pages of this name and kind, in the order of the file. */
  of(name: string, kind?: string): number[]
}

/** The same in each run. */
function noise(bytes: number): Buffer {
  let state = 42
  return Buffer.from(
    Array.from({ length: bytes }, () => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31
      return state >> 16
    }),
  )
}
function overwrite({ path }: File, at: number, bytes: Buffer): void {
  const file = openSync(path, 'r+')
  writeSync(file, bytes, 0, bytes.length, at)
  closeSync(file)
}
const zero = (file: File, ...pages: number[]) => {
  for (const page of pages) overwrite(file, (page - 1) * pageBytes, Buffer.alloc(pageBytes))
  return pages
}
const blur = (file: File, ...pages: number[]) => {
  for (const page of pages) overwrite(file, (page - 1) * pageBytes, noise(pageBytes))
  return pages
}

type Damage = {
  /** Returns the pages that were hit. */
  make(file: File): readonly number[]
  /** Whether the list cannot say how many are missing. */
  isUncounted?: true
}

const key = 'sqlite_autoindex_editions_1'
const damages: Readonly<Record<string, Damage>> = {
  'a leaf of zeros': { make: (file) => zero(file, file.of('editions', 'leaf')[3] as number) },
  'a leaf of noise': { make: (file) => blur(file, file.of('editions', 'leaf')[3] as number) },
  'half a leaf of zeros': {
    make(file) {
      const page = file.of('editions', 'leaf')[5] as number
      overwrite(file, (page - 1) * pageBytes + pageBytes / 2, Buffer.alloc(pageBytes / 2))
      return [page]
    },
  },
  'bytes of noise within a leaf': {
    make(file) {
      const page = file.of('editions', 'leaf')[7] as number
      overwrite(file, (page - 1) * pageBytes + 1_500, noise(64))
      return [page]
    },
  },
  'many leaves of zeros': { make: (file) => zero(file, ...file.of('editions', 'leaf').filter((_, i) => i % 10 === 4)) },
  'the first and the last leaf': {
    make: (file) => zero(file, file.of('editions', 'leaf')[0] as number, file.of('editions', 'leaf').at(-1) as number),
  },
  'the root of a table, of zeros': { make: (file) => zero(file, file.of('editions', 'internal')[0] as number) },
  'the root of a table, of noise': { make: (file) => blur(file, file.of('editions', 'internal')[0] as number) },
  'a child of a root that leads elsewhere': {
    make(file) {
      const [page = 0] = file.of('editions', 'internal')
      overwrite(file, (page - 1) * pageBytes + 8, Buffer.from([0, 0xff, 0xff, 0xff]))
      return [page]
    },
  },
  'a page that a long value goes on in': { make: (file) => zero(file, file.of('editions', 'overflow')[1] as number) },
  'a leaf of the index of ids': { make: (file) => zero(file, file.of(key, 'leaf')[2] as number) },
  'the root of the index of ids': { make: (file) => blur(file, file.of(key, 'internal')[0] as number) },
  'a leaf and the index of ids': {
    make: (file) => zero(file, file.of('editions', 'leaf')[3] as number, ...file.of(key)),
  },
  'other indexes': {
    make: (file) =>
      blur(file, ...file.pages.filter(({ name }) => /^editions_.*_idx$/.test(name)).map(({ page }) => page)),
  },
  'a file that was cut off between two pages': {
    make(file) {
      const count = statSync(file.path).size / pageBytes
      const kept = Math.floor(count * 0.7)
      truncateSync(file.path, kept * pageBytes)
      return file.pages.map(({ page }) => page).filter((page) => page > kept)
    },
  },
  'a file that was cut off within a page': {
    make(file) {
      const count = statSync(file.path).size / pageBytes
      const kept = Math.floor(count * 0.9)
      truncateSync(file.path, kept * pageBytes + 1_000)
      return file.pages.map(({ page }) => page).filter((page) => page > kept)
    },
  },
  'a header of zeros': {
    make(file) {
      overwrite(file, 0, Buffer.alloc(100))
      return []
    },
  },
  'a header of noise': {
    make(file) {
      overwrite(file, 0, noise(100))
      return []
    },
  },
  'the first page': { make: (file) => zero(file, 1) },
  'a leaf of the schema': { make: (file) => zero(file, file.of('sqlite_schema', 'leaf')[1] as number) },
  'all of the schema': { make: (file) => zero(file, ...file.of('sqlite_schema')), isUncounted: true },
  'the list of free pages': {
    make(file) {
      overwrite(file, 32, Buffer.from([0, 0, 0, 9, 0, 0, 0, 9]))
      return []
    },
  },
  'the full-text index': {
    make: (file) => zero(file, ...file.pages.filter(({ name }) => /_(data|idx)$/.test(name)).map(({ page }) => page)),
  },
  'the notes about itself': { make: (file) => blur(file, ...file.of('bindery_meta')) },
  'the change log': { make: (file) => zero(file, ...file.of('bindery_changes')) },
  'a table that others refer to': { make: (file) => zero(file, ...file.of('shelves', 'leaf').slice(0, 1)) },
}

function inspect(path: string): readonly Page[] {
  const database = new DatabaseSync(path)
  const sql = 'SELECT name, pageno AS page, pagetype AS kind, ncell AS cells FROM dbstat ORDER BY pageno'
  const pages = database.prepare(sql).all() as unknown as Page[]
  database.close()
  return pages
}
function readAll(path: string): ReadonlyMap<string, string> {
  const database = new DatabaseSync(path, { readOnly: true })
  const all = ['editions', 'shelves', 'members'].flatMap((table) =>
    (database.prepare(`SELECT * FROM "${table}"`).all() as Record<string, unknown>[]).map(
      ({ row_id: _own, shelf_id: _reference, ...row }) => [`${table} ${row.id}`, JSON.stringify(row)] as const,
    ),
  )
  database.close()
  return new Map(all)
}

/** `shelves 7` → 7 */
function idOf(name: string): unknown {
  const id = name.slice(name.indexOf(' ') + 1)
  return /^\d+$/.test(id) ? Number(id) : id
}

const own: { after?: () => void }[] = []
const shared = makeBindery(
  { after: (end: () => void) => void own.push({ after: end }) } as Pick<TestContext, 'after'>,
  embedded,
)
let pages: readonly Page[] = []
let whole: ReadonlyMap<string, string> = new Map()

before(async () => {
  assert.equal((await shared.run(['migrate'])).code, 0)
  const shelves = Array.from({ length: shelvesCount }, (_, i) => ({ label: `Shelf ${i} ${'s'.repeat(60)}`, room: 'R' }))
  const editions = Array.from({ length: editionsCount }, (_, i) => ({
    title: `Edition ${i}`,
    price: i,
    shelfId: (i % shelvesCount) + 1,
    summary: `${i} ${i % 50 === 7 ? '漢'.repeat(900) : 'long '.repeat(60)}`,
  }))
  for (const [word, lines] of [
    ['shelves', shelves],
    ['editions', editions],
  ] as const) {
    const input = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    const { code, stderr } = await shared.run(['import', word], { input })
    assert.equal(code, 0, stderr)
  }
  await shared.run(['user', 'create', '--email', 'ann@example.com', '--password', 'correct horse 9'])
  pages = inspect(shared.path('bindery.db'))
  whole = readAll(shared.path('bindery.db'))
})

// `npm run test:long` has all of them.
for (const [i, [name, { make, isUncounted = false }]] of Object.entries(damages).entries())
  test(name, i % 3 === 0 ? {} : long, async (t) => {
    const bindery = makeBindery(t, embedded)
    const path = bindery.path('bindery.db')
    cpSync(shared.path('bindery.db'), path)
    const of = (wanted: string, kind?: string) =>
      pages.filter((one) => one.name === wanted && (kind === undefined || one.kind === kind)).map(({ page }) => page)
    const hit = new Set(make({ path, pages, of }))
    const onHit = pages
      .filter((one) => hit.has(one.page) && /^(editions|shelves|members)$/.test(one.name) && one.kind !== 'internal')
      .reduce((sum, { cells, kind }) => sum + (kind === 'overflow' ? 1 : cells), 0)
    const rest = bindery.path('rest.ndjson.gz')
    const { code, stderr } = await bindery.run(['export', '--all', '--with-secrets', rest])
    assert.ok(existsSync(rest), stderr)
    const list = `${rest}.missing.ndjson`
    const missing = existsSync(list)
      ? readFileSync(list, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : []
    assert.equal(code, missing.length > 0 ? 1 : 0, stderr)
    assert.equal(/Missing, and listed in/.test(stderr), missing.length > 0, stderr)

    const other = makeBindery(t, embedded)
    const imported = await other.run(['import', '--all', rest])
    assert.equal(imported.code, 0, imported.stderr)
    const found = readAll(other.path('bindery.db'))
    for (const [id, record] of found) assert.equal(record, whole.get(id), id)
    const lost = [...whole.keys()].filter((id) => !found.has(id))
    assert.ok(lost.length <= onHit, `${lost.length} lost, ${onHit} were on pages that were hit`)
    for (const table of ['editions', 'shelves', 'members']) {
      const about = missing.filter((one) => one.table === table)
      const told = new Set(about.map(({ id }) => id))
      const untold = lost.filter((one) => one.startsWith(`${table} `) && !told.has(idOf(one)))
      // Where the index of ids is damaged too, numbers of rows are all that is known, or not even
      // those
      const unnamed = about.filter(({ id }) => id === undefined || id === null)
      const isSaid = unnamed.length >= untold.length || unnamed.some(({ why }) => /no index says how many/.test(why))
      assert.ok(
        isSaid || isUncounted,
        `${table}: ${untold.length} of ${lost.length} are not in the list of ${about.length}`,
      )
    }
  })

test('an export of a database that is whole says nothing of this', async (t) => {
  const bindery = makeBindery(t, embedded)
  cpSync(shared.path('bindery.db'), bindery.path('bindery.db'))
  const { code, stderr } = await bindery.run(['export', '--all', bindery.path('all.ndjson')])
  assert.equal(code, 0)
  assert.doesNotMatch(stderr, /damaged|issing/)
  assert.ok(!existsSync(join(bindery.folder, 'all.ndjson.missing.ndjson')))
  for (const { after } of own) after?.()
})
