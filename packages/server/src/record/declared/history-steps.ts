/**
 * Stores versions of records with `history`, in the transaction of each write. A write that changes
 * no field of a version and no link leaves none.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { all, equal, type Scalar } from '../../resource/condition.ts'
import { type historyKinds, historyFields as names } from '../../resource/made/declared-history.ts'
import { storedCredential } from '../../storage/changes.ts'
import type { Values } from '../../storage/storage.ts'
import { restoreReason } from '../removal/bring-back.ts'
import type { UpdatedEvent, WriteStep } from '../stages.ts'
import type { RecordTransaction } from '../write-context.ts'
import { linksOfRecords, storeVersionLinks } from './version-links.ts'

type VersionedResource = {
  readonly resource: Resource
  readonly versions: Resource
  /** The fields that the versions have. */
  readonly shared: readonly string[]
  readonly keep: number
}

type Version = {
  readonly kind: (typeof historyKinds)[number]
  readonly row: Values
  readonly links: UpdatedEvent['linksBefore']
}

/** `kept`: the record as it was written when there was no history. */
function versionOf(
  { resource, versions, shared }: VersionedResource,
  tx: RecordTransaction,
  { kind, row }: Version,
): Values {
  const { userId } = tx.author
  const { updatedField } = resource
  const isKept = kind === 'kept'
  return {
    [names.of]: row[resource.idField],
    [names.version]: row.version ?? 1,
    [names.kind]: kind,
    [names.at]: isKept ? (updatedField ? row[updatedField] : null) : tx.defaults.now,
    ...(names.by in versions.fields && { [names.by]: isKept ? null : userId || null }),
    [names.credential]: isKept ? null : storedCredential(tx.author),
    ...(versions.linkNames.length > 0 && { [names.links]: versions.linkNames }),
    ...Object.fromEntries(shared.map((name) => [name, row[name] ?? null])),
  }
}

async function storeVersions(versioned: VersionedResource, tx: RecordTransaction, all: readonly Version[]) {
  const { versions } = versioned
  const stored = await tx.storeNotes(
    versions,
    all.map((one) => versionOf(versioned, tx, one)),
  )
  if (versions.linkNames.length === 0) return
  await storeVersionLinks(
    tx,
    versions,
    all.map(({ links }, i) => ({ version: stored[i] as Values, links })),
  )
}

const newestFirst = [{ field: names.version, descending: true }]

/** Removes the versions beyond the declared number. */
async function prune({ versions, keep }: VersionedResource, tx: RecordTransaction, of: Scalar): Promise<void> {
  const where = equal(names.of, of)
  const [excess] = await tx.list(versions, { where, sort: newestFirst, limit: 1, offset: keep })
  if (!excess) return
  const value = excess[names.version] as Scalar
  await tx.deeper().removeWhere(versions, all(where, { kind: 'compare', field: names.version, operator: 'lte', value }))
}

async function storeChange(versioned: VersionedResource, { tx, before, row, linksBefore }: UpdatedEvent) {
  const { resource, versions, shared } = versioned
  const isSame = (name: string) => name === resource.updatedField || isDeepStrictEqual(before[name], row[name])
  if (shared.every(isSame) && Object.keys(linksBefore).length === 0) return
  const of = row[resource.idField] as Scalar
  const links = (await linksOfRecords(tx, resource, [row])).get(of) ?? {}
  const [known] = await tx.list(versions, { where: equal(names.of, of), sort: newestFirst, limit: 1 })
  const first: Version = { kind: 'kept', row: before, links: { ...links, ...linksBefore } }
  await storeVersions(versioned, tx, [...(known ? [] : [first]), { kind: 'update', row, links }])
  await prune(versioned, tx, of)
}

function historyStep(versioned: VersionedResource): WriteStep {
  const { resource } = versioned
  return {
    name: `history of ${resource.name}`,
    resources: [resource],
    async afterCreate({ tx, rows, reason }) {
      const isRestored = reason === restoreReason
      const kind = isRestored ? 'restore' : 'create'
      const links = await linksOfRecords(tx, resource, rows)
      const all = rows.map((row): Version => ({ kind, row, links: links.get(row[resource.idField]) ?? {} }))
      await storeVersions(versioned, tx, all)
      // Records of the trash have their earlier versions back.
      if (isRestored) for (const row of rows) await prune(versioned, tx, row[resource.idField] as Scalar)
    },
    afterUpdate: (updated) => storeChange(versioned, updated),
  }
}

export function historySteps(catalog: Catalog): WriteStep[] {
  return [...catalog.resources.values()].flatMap((resource) => {
    const { history } = resource
    if (!history) return []
    const versions = catalog.get(history.resource)
    const shared = versions.storedNames.filter((name) => Object.hasOwn(resource.fields, name))
    return [historyStep({ resource, versions, shared, keep: history.keep })]
  })
}
