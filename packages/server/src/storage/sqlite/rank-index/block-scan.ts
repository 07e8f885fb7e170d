/**
 * Counts the blocks of a rank index in one pass over a SQLite index. A user-defined function sees
 * each entry as numbers. It passes only the first and last entry of each block, so that only their
 * keys become JavaScript values.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { Statement } from '../../sql/statements.ts'
import type { IndexCell } from './index-predicate.ts'

/**
 * `bindery_block(row number, flags as bits)`, called for each entry once and in order: 1 for the
 * first and the last entry of a block, else 0.
 */
export const blockFunction = 'bindery_block'

export type ScannedBlock = {
  /** The keys of its first and its last entry. */
  readonly first: readonly IndexCell[]
  readonly last: readonly IndexCell[]
  /** The number of entries with each pattern of flags. */
  readonly counts: readonly number[]
  /** The lowest and the highest row number. */
  readonly rows: readonly [number, number]
}

/**
 * `walk` and `last` are of one range: its entries through `bindery_block`, and the key of its last
 * entry.
 */
export type BlockScan = {
  readonly walk: Statement
  readonly last: Statement
  /** The number of entries in a block. */
  readonly blockEntries: number
  /** The number of patterns of flags. */
  readonly patterns: number
  readonly blocksMax: number
}

export type ScannedBlocks = {
  readonly blocks: readonly ScannedBlock[]
  /** Whether the scan has reached the end of the range. */
  readonly isEnd: boolean
}

type BlockScanRun = {
  readonly database: DatabaseSync
  /** Statements that return rows as arrays. */
  readonly prepare: (sql: string) => StatementSync
  /** Called at the end of each block. */
  readonly rest?: () => void
}

/** Call it once for a connection. */
export function makeBlockScan({
  database,
  prepare,
  rest = () => undefined,
}: BlockScanRun): (scan: BlockScan) => ScannedBlocks {
  let [entries, size, lowest, highest] = [0, 0, 0, 0]
  let counts: number[] = []

  database.function(blockFunction, { deterministic: false }, (row, bits) => {
    if (entries === size) {
      rest()
      entries = 0
      counts.fill(0)
      lowest = highest = row as number
    }
    entries += 1
    counts[bits as number] = (counts[bits as number] as number) + 1
    if ((row as number) < lowest) lowest = row as number
    else if ((row as number) > highest) highest = row as number
    return entries === 1 || entries === size ? 1 : 0
  })
  const rowsOf = ({ sql, parameters }: Statement) =>
    prepare(sql).iterate(...(parameters as SQLInputValue[])) as unknown as Iterable<IndexCell[]>

  return function scan({ walk, last, blockEntries, patterns, blocksMax }) {
    entries = size = blockEntries
    counts = new Array<number>(patterns).fill(0)
    const blocks: ScannedBlock[] = []
    let first: readonly IndexCell[] = []
    const end = (key: readonly IndexCell[]) =>
      blocks.push({ first, last: key, counts: [...counts], rows: [lowest, highest] })
    for (const key of rowsOf(walk)) {
      if (entries === 1) first = key
      else if (end(key) === blocksMax) return { blocks, isEnd: false }
    }
    if (entries < size) for (const key of rowsOf(last)) end(key)
    return { blocks, isEnd: true }
  }
}
