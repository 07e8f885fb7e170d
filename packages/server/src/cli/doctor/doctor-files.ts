/**
 * The doctor's findings about files: records, rows and objects beside each other. The bytes of all
 * files are read, and compared with the SHA-256 of their rows.
 */
import { timestampOf } from '../../base/clock.ts'
import type { Config } from '../../config.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { placeOf } from '../../settings/store-settings.ts'
import type { FileRowFacts } from '../../storage/copy/kept-files.ts'
import type { NamedFile } from '../../storage/copy/named-files.ts'
import { type Findings, named } from '../../storage/finding.ts'
import { readStorage } from '../../storage/open.ts'
import {
  checksumOf,
  checksumText,
  filesFolder,
  idOfObject,
  originalOf,
  readFileBytes,
} from '../../stores/file-objects.ts'
import { type ObjectStore, wholeObject } from '../../stores/object-store.ts'
import { openFilesStore } from '../database/files-store.ts'

/** The first of many, and how many there are. */
type Gathered = { count: number; readonly first: string[] }

const shownMax = 10

function gather(into: Gathered, what: string): void {
  into.count += 1
  if (into.first.length < shownMax) into.first.push(what)
}

const gathered = (): Gathered => ({ count: 0, first: [] })

type ComparedRow = Omit<FileRowFacts, 'id'> & { isNamed: boolean }

/** All rows of files, with whether a record names them; and what records name without a row. */
async function readRows({ database }: Config, catalog: Catalog) {
  const { fileRowsOf } = await import('../../storage/copy/kept-files.ts')
  const { namedFilesOf } = await import('../../storage/copy/named-files.ts')
  const nameless: NamedFile[] = []
  const refused = new Set<string>()
  const rows = await readStorage(database, catalog, async (source) => {
    const found = new Map<string, ComparedRow>()
    for await (const { id, ...facts } of fileRowsOf(source, catalog)) found.set(id, { ...facts, isNamed: false })
    for await (const one of namedFilesOf(source, catalog)) {
      const row = found.get(one.id)
      if (row) row.isNamed = true
      if (one.isRefused) refused.add(one.id)
      else if (!row?.isKept || row.state === 'ready') nameless.push(one)
    }
    return found
  })
  // Versions name a refused file as it was before.
  return { rows, nameless: nameless.filter(({ id }) => !refused.has(id)) }
}

/** Why the object is not that of the row; undefined where it is. */
async function problemOf(store: ObjectStore, id: string, row: ComparedRow): Promise<string | undefined> {
  try {
    for await (const _chunk of readFileBytes(store, { id, ...row }));
    const beside = await wholeObject(store, checksumOf(id))
    if (!beside.equals(checksumText(row.sha256))) return `The checksum beside the file ${id} is another one`
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

async function isThere(store: ObjectStore, id: string): Promise<boolean> {
  return (await store.list(originalOf(id))).length > 0
}

type Compared = {
  readonly missing: Gathered
  readonly wrong: Gathered
  readonly orphans: Gathered
  readonly unnamed: Gathered
  files: number
}

async function compare(
  store: ObjectStore,
  objects: ReadonlySet<string>,
  rows: ReadonlyMap<string, ComparedRow>,
): Promise<Compared> {
  const found = { missing: gathered(), wrong: gathered(), orphans: gathered(), unnamed: gathered(), files: 0 }
  for (const [id, row] of rows) {
    if (!row.isKept) continue
    found.files += 1
    if (row.state !== 'ready' && !row.isNamed) gather(found.unnamed, id)
    // an upload may have come after the objects were listed
    if (!objects.has(id) && !(await isThere(store, id))) gather(found.missing, id)
    else {
      const problem = await problemOf(store, id, row)
      if (problem !== undefined) gather(found.wrong, problem)
    }
  }
  // a file may have gone since they were listed
  for (const id of objects) if (!rows.has(id) && (await isThere(store, id))) gather(found.orphans, id)
  return found
}

const back = 'Bring them back from a backup: bindery restore, with its file-copies, into an empty place'

function tell({ about }: Findings, where: string, { missing, wrong, orphans, unnamed, files }: Compared): void {
  const { bad, warn, ok } = about('files', where)
  if (missing.count > 0) bad(`${missing.count} files have a row and no bytes: ${named(missing.first)}`, back)
  if (wrong.count > 0) bad(`${wrong.count} files are not as they were stored. ${wrong.first.join('. ')}`, back)
  if (orphans.count > 0)
    warn(
      `${orphans.count} files have bytes and no row: ${named(orphans.first)}`,
      'Is the store that of another database too? If not, move them away: each is a folder below files',
    )
  if (unnamed.count > 0)
    warn(
      `${unnamed.count} files belong to a record that does not name them: ${named(unnamed.first)}`,
      'They take room, and harm nothing. Report it: a write should have released them',
    )
  if (missing.count + wrong.count + orphans.count + unnamed.count === 0)
    ok(`${files} files: each has its row, its bytes and their SHA-256`)
}

/** Tells whether files still need the other store, while they move. */
async function inspectFallback({ about }: Findings, config: Config, rows: ReadonlyMap<string, ComparedRow>) {
  const { store, fallback } = config.files
  if (!fallback) return
  const first = await openFilesStore({ ...config, files: { ...config.files, fallback: undefined } })
  const own = new Set((await first.list(filesFolder)).map(({ name }) => name))
  const left = [...rows].filter(([id, { isKept }]) => isKept && !own.has(checksumOf(id))).length
  const { ok, warn } = about('files', `FILES_STORE_FALLBACK=${placeOf(fallback)}`)
  if (left > 0) warn(`${left} files are not in ${placeOf(store)} yet`, 'Copy them: bindery files move')
  else ok('No file needs it: start the servers without FILES_STORE_FALLBACK')
}

/** A sweep comes many times in this time. */
const dueMsMax = 60 * 60_000

/** Files that the sweep should have removed long ago. */
function inspectDue({ about }: Findings, where: string, rows: ReadonlyMap<string, ComparedRow>): void {
  const before = timestampOf(Date.now() - dueMsMax)
  const late = [...rows].filter(([, { dueAt }]) => dueAt !== null && dueAt < before).map(([id]) => id)
  if (late.length === 0) return
  about('files', where).warn(
    `${late.length} files without a record are due for more than an hour: the sweep falls behind. ${named(late.slice(0, shownMax))}`,
    'See whether a server runs, and its log: Sweeping failed. A backup, an export or bindery files move holds the sweep while it runs',
  )
}

/** Nothing where no field holds a file. */
export async function inspectFiles(findings: Findings, config: Config, catalog: Catalog): Promise<void> {
  if (!catalog.files) return
  const store = await openFilesStore(config)
  const objects = new Set((await store.list(filesFolder)).map(({ name }) => idOfObject(name)))
  const { rows, nameless } = await readRows(config, catalog)
  if (nameless.length > 0)
    findings
      .about('files', config.database.kind.describe(config.database.setup))
      .bad(
        `${nameless.length} values name a file without a row: ${named(nameless.slice(0, shownMax).map(({ table, row, field }) => `${field} of ${row} in ${table}`))}`,
        'Give these records another file, or none: PATCH with null',
      )
  await inspectFallback(findings, config, rows)
  inspectDue(findings, store.name, rows)
  tell(findings, store.name, await compare(store, objects, rows))
}
