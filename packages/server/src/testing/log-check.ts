/** Every write has its row in the change log: the log since the start, replayed on what was there, must be what is stored. */
import assert from 'node:assert/strict'
import type { Engine } from '../perform/engine.ts'
import type { Resource } from '../resource/catalog.ts'
import { always } from '../resource/condition.ts'
import type { Change } from '../storage/changes.ts'

export type LogCheck = {
  /** Throws an `AssertionError` that names the resource, with the versions by id that the log and the table say. */
  check(): Promise<void>
}

type Versions = Map<string, number>
const rowsMax = 200_000

/** Versions by id. */
async function storedVersions({ storage }: Engine, resource: Resource): Promise<Versions> {
  const rows = await storage.list(resource, { where: always, sort: [], limit: rowsMax })
  return new Map(rows.map((row) => [String(row[resource.idField]), row.version]))
}

function replay(versions: Versions, { kind, records }: Change): void {
  for (const { id, version } of records) {
    if (kind === 'delete') versions.delete(String(id))
    else versions.set(String(id), Math.max(version, versions.get(String(id)) ?? 0))
  }
}

/** Follows the log from here on. Resources that something wrote to past Bindery are left out. */
export async function startLogCheck(engine: Engine): Promise<LogCheck> {
  const { catalog, storage } = engine
  const known = new Map<string, Versions>()
  const unknown = new Set<string>()
  storage.changes.follow({
    apply(changes) {
      for (const change of changes) {
        if (change.kind === 'unknown') unknown.add(change.resource)
        const versions = known.get(change.resource)
        if (versions) replay(versions, change)
      }
    },
    reset() {
      for (const name of catalog.resources.keys()) unknown.add(name)
    },
  })
  for (const [name, resource] of catalog.resources) known.set(name, await storedVersions(engine, resource))
  return {
    async check() {
      await storage.changes.catchUp()
      for (const [name, resource] of catalog.resources) {
        const stored = await storedVersions(engine, resource)
        await storage.changes.catchUp()
        if (unknown.has(name)) continue
        const sorted = (versions: Versions | undefined) =>
          [...(versions ?? [])].toSorted(([a], [b]) => (a < b ? -1 : 1))
        assert.deepEqual(sorted(known.get(name)), sorted(stored), `the change log and the table of ${name} differ`)
      }
    },
  }
}
