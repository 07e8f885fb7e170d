/**
 * The latest changes to each resource, in memory, for caches. A write drops no cached entry: it
 * only adds its change here. Each entry remembers its position, and checks the later changes when a
 * request uses it. So a write costs the same for any number of entries. Entries older than the
 * history are read again.
 */
import type { Resource } from '../../resource/catalog.ts'
import type { Scalar } from '../../resource/condition.ts'
import type { Change, Changes } from '../changes.ts'
import type { Values } from '../stored-row.ts'

/**
 * One record of a change. `before` and `after` are null where there was no record, and undefined
 * where they are not known.
 */
export type RowChange = {
  readonly change: Change
  readonly id: Scalar
  readonly before: Values | null | undefined
  readonly after: Values | null | undefined
}

/**
 * The changes to one resource. Positions count from the start of the process, and rise by one with
 * each changed record.
 */
export type ChangeRing = {
  /** The position behind the latest change. */
  end(): number
  /**
   * The position of the oldest known change. An entry from before it cannot tell what it missed.
   */
  start(): number
  at(place: number): RowChange
  /** Whether the record with this id has not changed since a position. */
  isSame(id: Scalar, since: number): boolean
}

export type ChangeHistory = { of(resource: Resource): ChangeRing }

/** Records whose images are kept for each resource, and the characters of all images. */
const movedMax = 4_000
const charactersMax = 8_000_000

function sizeOf(values: Values | null | undefined): number {
  if (!values) return 0
  let size = 0
  for (const name in values) {
    const value = values[name]
    if (typeof value === 'string') size += value.length
    else if (Array.isArray(value)) for (const item of value) size += String(item).length
  }
  return size
}

type HistoryRecording = ChangeRing & {
  add(change: Change): void
  /** Drops the history: all entries start over. */
  forget(): void
}

function makePast(idField: string, share: number): HistoryRecording {
  let start = 0
  let moved: RowChange[] = []
  /** The characters of each. */
  let sizes: number[] = []
  let latest = new Map<Scalar, number>()
  let characters = 0
  const end = () => start + moved.length

  function drop(count: number): void {
    for (const size of sizes.splice(0, count)) characters -= size
    for (const [i, { id }] of moved.splice(0, count).entries()) {
      if (latest.get(id) === start + i) latest.delete(id)
    }
    start += count
  }
  function push(one: RowChange): void {
    latest.set(one.id, end())
    moved.push(one)
    const size = sizeOf(one.before) + sizeOf(one.after)
    sizes.push(size)
    characters += size
    // Drops half at once: each drop moves the other elements.
    if (moved.length > movedMax || characters > share) drop(Math.ceil(moved.length / 2))
  }
  function forget(): void {
    start = end() + 1
    moved = []
    sizes = []
    latest = new Map()
    characters = 0
  }
  return {
    end,
    start: () => start,
    at: (place) => moved[place - start] as RowChange,
    isSame: (id, since) => since >= start && (latest.get(id) ?? -1) < since,
    forget,
    add(change) {
      const { images, records } = change
      if (change.kind === 'unknown') forget()
      else if (images)
        for (const { before, after } of images)
          push({ change, id: (after ?? before)?.[idField] as Scalar, before, after })
      else
        for (const { id } of records)
          push({
            change,
            id,
            before: change.kind === 'insert' ? null : undefined,
            after: change.kind === 'delete' ? null : undefined,
          })
    },
  }
}

export function makeChangeHistory(
  changes: Pick<Changes, 'follow'>,
  { resources }: { readonly resources: ReadonlyMap<string, Resource> },
): ChangeHistory {
  const share = charactersMax / resources.size
  const pasts = new Map([...resources].map(([name, { idField }]) => [name, makePast(idField, share)]))
  changes.follow({
    apply(batch) {
      for (const change of batch) pasts.get(change.resource)?.add(change)
    },
    reset() {
      for (const ring of pasts.values()) ring.forget()
    },
  })
  return {
    of(resource) {
      const ring = pasts.get(resource.name)
      if (!ring) throw new Error(`no resource ${resource.name} in the catalog`)
      return ring
    },
  }
}
