/**
 * The latest changes of this process's life, record by record, for what is kept in memory. Nothing
 * is dropped when a write happens: whatever is kept remembers its place here, and looks at what
 * came since when it is asked for. So a write costs the same however much is kept. Changes that are
 * too old are forgotten, and whoever has not looked since then starts over.
 */
import type { Resource } from '../../resource/catalog.ts'
import type { Scalar } from '../../resource/condition.ts'
import type { Change, Changes } from '../changes.ts'
import type { Values } from '../stored-row.ts'

/**
 * One record of a change. `before` and `after` are null where there was no record, and undefined
 * where nobody knows.
 */
export type RowChange = {
  readonly change: Change
  readonly id: Scalar
  readonly before: Values | null | undefined
  readonly after: Values | null | undefined
}

/**
 * The changes to one resource. Places are counted from the start of the process, and rise by one
 * with each record that moved.
 */
export type ChangeRing = {
  /** The place behind the latest change. */
  end(): number
  /**
   * The place of the oldest change that is still known: nobody who was here last before it can tell
   * what he missed.
   */
  start(): number
  at(place: number): RowChange
  /** Whether the record with this id is the same as it was at a place. */
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
  /** Afterwards everybody starts over. */
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
    // Half at once: dropping one by one would move the others each time.
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
