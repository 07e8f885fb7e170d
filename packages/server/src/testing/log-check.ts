/**
 * Checks that every write has exactly one entry in the change log: replaying the log since the
 * start must give the stored rows.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../errors.ts'
import type { Engine } from '../perform/engine.ts'
import type { Resource } from '../resource/catalog.ts'
import { always } from '../resource/condition.ts'
import { emptyReplay, type ReplayedLog, replayChanges, type VersionsById } from '../storage/log-replay.ts'
import type { Row } from '../storage/storage.ts'
import { makeValueReplay } from './value-replay.ts'

export type LogCheck = {
  /**
   * Throws an `AssertionError` that names the resource, with the versions by id in the log and in
   * the table, or a repeated change.
   */
  check(): Promise<void>
}

const rowsMax = 200_000

/** Versions by id in the table. */
export async function storedVersions({ storage }: Engine, resource: Resource): Promise<VersionsById> {
  return versionsOf(resource, await storage.list(resource, { where: always, sort: [], limit: rowsMax }))
}

function versionsOf({ idField }: Resource, rows: readonly Row[]): VersionsById {
  return new Map(rows.map((row) => [String(row[idField]), row.version]))
}

/**
 * Versions by id for each resource, from the stored log. The log must reach back to an empty
 * database.
 */
export async function replayLog({ catalog, storage }: Engine): Promise<ReadonlyMap<string, VersionsById>> {
  const replayed = new Map<string, ReplayedLog>()
  for (const name of catalog.resources.keys()) replayed.set(name, emptyReplay())
  let place: string | null = null
  for (;;) {
    const read = await storage.changes.read(place, 1000)
    for (const change of read.changes) {
      const one = replayed.get(change.resource)
      if (one) replayChanges(one, change)
    }
    if (read.changes.length === 0) break
    place = read.place
  }
  return new Map([...replayed].map(([name, { versions }]) => [name, versions]))
}

/** Follows the log from now on. Resources that other programs wrote to directly are left out. */
export async function startLogCheck(engine: Engine): Promise<LogCheck> {
  const { catalog, storage } = engine
  const known = new Map<string, ReplayedLog>()
  const unknown = new Set<string>()
  const values = new Map(
    [...catalog.resources.values()].flatMap((one) =>
      one.loggedNames ? [[one.name, makeValueReplay(one)] as const] : [],
    ),
  )
  const told = new Set<number>()
  let toldTwice: number | undefined
  storage.changes.follow({
    apply(changes) {
      for (const change of changes) {
        if (told.has(change.sequence)) toldTwice = change.sequence
        told.add(change.sequence)
        if (change.kind === 'unknown') unknown.add(change.resource)
        const replayed = known.get(change.resource)
        if (replayed) replayChanges(replayed, change)
        values.get(change.resource)?.take(change)
      }
    },
    reset() {
      told.clear()
      for (const name of catalog.resources.keys()) unknown.add(name)
    },
  })
  for (const [name, resource] of catalog.resources) {
    try {
      known.set(name, { ...emptyReplay(), versions: await storedVersions(engine, resource) })
    } catch {
      unknown.add(name) // a database that the test has damaged
    }
  }

  async function compare(name: string, resource: Resource): Promise<void> {
    const rows = await storage.list(resource, { where: always, sort: [], limit: rowsMax })
    const stored = versionsOf(resource, rows)
    await storage.changes.catchUp()
    if (unknown.has(name)) return
    const sorted = (versions: VersionsById | undefined) =>
      [...(versions ?? [])].toSorted(([a], [b]) => (a < b ? -1 : 1))
    assert.deepEqual(
      sorted(known.get(name)?.versions),
      sorted(stored),
      `the change log and the table of ${name} differ`,
    )
    values.get(name)?.compare(rows)
  }

  /** Compares again when they differ: a write may have come between the two reads. */
  async function check(name: string, resource: Resource, attempts = 3): Promise<void> {
    try {
      await compare(name, resource)
    } catch (error) {
      if (error instanceof ApiError) return // a database that the test has removed
      if (attempts === 1) throw error
      await sleep(100)
      await check(name, resource, attempts - 1)
    }
  }

  return {
    async check() {
      assert.equal(toldTwice, undefined, 'a change was told twice')
      for (const [name, resource] of catalog.resources) await check(name, resource)
    },
  }
}
