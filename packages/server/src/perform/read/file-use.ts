/**
 * How much the files of users and of tenants have, as quotas count it. A file counts from the first
 * byte of its upload until it is due. Uploads count with the size that they announce.
 */
import { timestampOf } from '../../base/clock.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { all, any, type Condition, equal, isNull } from '../../resource/condition.ts'
import { fileFields as names } from '../../resource/made/file-table.ts'
import type { Storage, SummaryRequest, SummaryRow } from '../../storage/storage.ts'
import type { Engine } from '../engine.ts'

type SummaryReader = Pick<Storage, 'summarize'>

export type FileUse = { readonly files: number; readonly bytes: number }

/** More users or tenants with files than a page shows. */
const groupsMax = 100_000
const shownMax = 100

const compare = (field: string, operator: 'gt' | 'lte', value: string): Condition => ({
  kind: 'compare',
  field,
  operator,
  value,
})

const counted = (now: string) => any(isNull(names.dueAt), compare(names.dueAt, 'gt', now))

/** The files that a user has uploaded. */
export const ofUser = (id: string): Condition => equal(names.owner, id)

/** The files of the records of a tenant. Tenants of another kind may have the same id. */
export function ofTenant({ resources }: Catalog, tenancy: string, id: string): Condition {
  const values = [...resources.values()].filter(({ scope }) => scope?.tenancy === tenancy).map(({ name }) => name)
  return all(equal(names.tenant, id), { kind: 'in', field: names.resource, values })
}

const sumsIn = (row: SummaryRow | undefined): FileUse => ({
  files: row?.count ?? 0,
  bytes: Number(row?.sums.get(names.size)?.sum ?? 0n),
})

const request = (where: Condition, groups: readonly string[] = []): SummaryRequest => ({
  where,
  groups: groups.map((field) => ({ field, unit: undefined, far: undefined }) as never),
  sums: [names.size],
  ends: [],
  limit: groupsMax,
})

async function sumOf(reader: SummaryReader, files: Resource, where: Condition): Promise<FileUse> {
  return sumsIn((await reader.summarize(files, request(where)))[0])
}

/** Of the files of this condition, those that count. */
export async function usedBy(
  reader: SummaryReader,
  { files, now }: { readonly files: Resource; readonly now: string },
  whose: Condition,
): Promise<FileUse> {
  return sumOf(reader, files, all(whose, counted(now)))
}

type NamedUse = FileUse & { readonly id: string; readonly tenant?: string }

const largestFirst = (found: Iterable<NamedUse>) => [...found].sort((a, b) => b.bytes - a.bytes).slice(0, shownMax)

/** One for each tenant, whose files are of several resources. */
function byTenant({ resources }: Catalog, rows: readonly SummaryRow[]): Iterable<NamedUse> {
  const found = new Map<string, NamedUse>()
  for (const row of rows) {
    const [resource, id] = row.group as readonly [string, string | null]
    const tenant = resources.get(resource)?.scope?.tenancy
    if (id === null || tenant === undefined) continue
    const key = `${tenant} ${id}`
    const { files, bytes } = sumsIn(row)
    const before = found.get(key) ?? { files: 0, bytes: 0 }
    found.set(key, { tenant, id, files: before.files + files, bytes: before.bytes + bytes })
  }
  return found.values()
}

export type UseOfFiles = FileUse & {
  /** Uploads that no record has yet. */
  readonly waiting: FileUse
  /** Files that the next sweep removes. */
  readonly due: FileUse
  /** Those with the most, up to 100 of each. */
  readonly users: readonly NamedUse[]
  readonly tenants: readonly NamedUse[]
}

/** For operators. */
export async function readFileUse({
  catalog,
  storage,
  clock,
}: Pick<Engine, 'catalog' | 'storage' | 'clock'>): Promise<UseOfFiles> {
  const { files } = catalog
  if (!files) throw new Error('no field of this application holds a file')
  const now = timestampOf(clock())
  const isWaiting: Condition = { kind: 'in', field: names.state, values: ['arriving', 'ready'] }
  const owners = await storage.summarize(files, request(counted(now), [names.owner]))
  const tenants = await storage.summarize(files, request(counted(now), [names.resource, names.tenant]))
  return {
    ...(await sumOf(storage, files, counted(now))),
    waiting: await sumOf(storage, files, all(isWaiting, counted(now))),
    due: await sumOf(storage, files, compare(names.dueAt, 'lte', now)),
    users: largestFirst(
      owners.flatMap((row) => (row.group[0] === null ? [] : [{ id: String(row.group[0]), ...sumsIn(row) }])),
    ),
    tenants: largestFirst(byTenant(catalog, tenants)),
  }
}
