/**
 * Stores versions of records with `history`, in the transaction of each write. A write that changes
 * no field of a version leaves none.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { all, equal, type Scalar } from '../../resource/condition.ts'
import { type historyKinds, historyFields as names } from '../../resource/made/declared-history.ts'
import type { Row, Values } from '../../storage/storage.ts'
import { restoreReason } from '../removal/bring-back.ts'
import type { WriteEvent, WriteStep } from '../stages.ts'
import type { RecordTransaction } from '../write-context.ts'

type VersionedResource = {
  readonly resource: Resource
  readonly versions: Resource
  /** The fields that the versions have. */
  readonly shared: readonly string[]
  readonly keep: number
}

type Version = Omit<WriteEvent, 'resource'> & { readonly kind: (typeof historyKinds)[number]; readonly row: Values }

/** `kept`: the record as it was written when there was no history. */
function versionOf({ resource, versions, shared }: VersionedResource, { tx, kind, row }: Version): Values {
  const { userId, credential } = tx.author
  const { updatedField } = resource
  const isKept = kind === 'kept'
  return {
    [names.of]: row[resource.idField],
    [names.version]: row.version ?? 1,
    [names.kind]: kind,
    [names.at]: isKept ? (updatedField ? row[updatedField] : null) : tx.defaults.now,
    ...(names.by in versions.fields && { [names.by]: isKept ? null : userId || null }),
    [names.credential]: isKept ? null : credential,
    ...Object.fromEntries(shared.map((name) => [name, row[name] ?? null])),
  }
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

async function storeChange(versioned: VersionedResource, tx: RecordTransaction, written: { before: Row; row: Row }) {
  const { before, row } = written
  const { resource, versions, shared } = versioned
  if (shared.every((name) => name === resource.updatedField || isDeepStrictEqual(before[name], row[name]))) return
  const of = row[resource.idField] as Scalar
  const [known] = await tx.list(versions, { where: equal(names.of, of), sort: newestFirst, limit: 1 })
  const first = known ? [] : [versionOf(versioned, { tx, kind: 'kept', row: before })]
  await tx.storeNotes(versions, [...first, versionOf(versioned, { tx, kind: 'update', row })])
  await prune(versioned, tx, of)
}

function historyStep(versioned: VersionedResource): WriteStep {
  const { resource, versions } = versioned
  return {
    name: `history of ${resource.name}`,
    resources: [resource],
    async afterCreate({ tx, rows, reason }) {
      const isRestored = reason === restoreReason
      await tx.storeNotes(
        versions,
        rows.map((row) => versionOf(versioned, { tx, kind: isRestored ? 'restore' : 'create', row })),
      )
      // Records of the trash have their earlier versions back.
      if (isRestored) for (const row of rows) await prune(versioned, tx, row[resource.idField] as Scalar)
    },
    afterUpdate: ({ tx, before, row }) => storeChange(versioned, tx, { before, row: row as Row }),
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
