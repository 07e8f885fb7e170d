/** Walks all of a b-tree that can be reached from its root, and records where it is damaged. */
import type { DamagedPages } from './damaged-pages.ts'
import { type BtreeCell, type BtreePage, isDamaged, readPage, readRecord, type Stored } from './read-cells.ts'

export type RescuedRow = { readonly rowid: number; readonly values: readonly Stored[] }
export type BtreeWalk = {
  readonly rows: Iterable<RescuedRow>
  /** Invalid pages and damaged records; complete when all rows have been read. */
  readonly damage: { pages: number[]; records: number }
}

export type TreeReading = { readonly pages: DamagedPages; readonly visited: Set<number> }

/** A record, or undefined where it is damaged. */
export function rowOf({ rowid, payload }: BtreeCell, damage: BtreeWalk['damage']): RescuedRow[] {
  try {
    return payload ? [{ rowid, values: readRecord(payload()) }] : []
  } catch (error) {
    if (!isDamaged(error)) throw error
    damage.records += 1
    return []
  }
}

/** `kind`: a table, whose rows have numbers, or an index, whose records end with a row number. */
export function walkTree({ pages, visited }: TreeReading, root: number, kind: 'table' | 'index'): BtreeWalk {
  const damage: BtreeWalk['damage'] = { pages: [], records: 0 }
  /** The page, if it belongs to this tree and was not visited before. */
  function enter(number: number): BtreePage | undefined {
    const isNowhere = visited.has(number) || number < 1 || number > pages.count
    const page = isNowhere ? undefined : readPage(pages, number, visited)
    if (page?.kind?.startsWith(kind)) {
      visited.add(number)
      if (page.kind.endsWith('leaf')) damage.records += page.lost
      if (page.kind.endsWith('leaf') || page.lost === 0) return page
    }
    damage.pages.push(number)
    return page?.kind?.startsWith(kind) ? page : undefined
  }
  function* walk(): Generator<RescuedRow> {
    const waiting = [root]
    for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
      const page = enter(number)
      if (!page) continue
      for (const cell of page.cells) yield* rowOf(cell, damage)
      const children = page.cells.flatMap(({ child }) => (child > 0 ? [child] : []))
      waiting.push(...(page.right > 0 ? [page.right] : []), ...children.reverse())
    }
  }
  return { rows: walk(), damage }
}

/** Free pages, whose content was deleted. */
export function freePages({ pages }: Pick<TreeReading, 'pages'>): ReadonlySet<number> {
  const free = new Set<number>()
  const head = pages.read(1)
  let trunk = head ? head.readUInt32BE(32) : 0
  while (trunk > 1 && trunk <= pages.count && !free.has(trunk)) {
    const page = pages.read(trunk)
    free.add(trunk)
    const count = page?.readUInt32BE(4) ?? 0
    if (!page || 8 + 4 * count > pages.usable) break
    for (let i = 0; i < count; i += 1) free.add(page.readUInt32BE(8 + 4 * i))
    trunk = page.readUInt32BE(0)
  }
  return free
}
