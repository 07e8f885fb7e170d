/** Moves of rows in a grid: by keys, from a button and by dragging. The focus goes with the row. */
import { type KeyboardEvent, useLayoutEffect, useState } from 'react'
import type { GridRow, RowMoves } from './grid-column.ts'
import type { GridFocus } from './grid-focus.ts'
import type { CellPlace } from './grid-window.ts'

type MovesIn = {
  readonly rows: readonly GridRow[]
  readonly idField: string
  readonly focus: GridFocus
  readonly moves: RowMoves | undefined
  reveal(place: CellPlace): void
}

/** The row that has moved, and the rows as they were before. */
type Moved = { readonly id: unknown; readonly column: number; readonly before: readonly GridRow[] }

export type GridMoves = {
  drop(from: number, to: number): void
  ask(row: number): void
  /** Returns whether it is a key that moves. */
  onKey(event: KeyboardEvent): boolean
}

export function useGridMoves({ rows, idField, focus, moves, reveal }: MovesIn): GridMoves | undefined {
  const [moved, setMoved] = useState<Moved>()
  // The rows of the new order may come long after the answer: they are drawn when there is time.
  useLayoutEffect(() => {
    if (!moved || moved.before === rows) return
    setMoved(undefined)
    const row = rows.findIndex((one) => one[idField] === moved.id)
    if (row === -1) return
    reveal({ row, column: moved.column })
    focus.focusOn({ row, column: moved.column })
  })
  if (!moves) return undefined
  const { at } = focus
  const follow = async (row: number, move: Promise<boolean>) => {
    const next = { id: rows[row]?.[idField], column: at.column, before: rows }
    if (await move) setMoved(next)
  }
  const drop = (from: number, to: number) => void follow(from, moves.move(from, to))
  const ask = (row: number) => void follow(row, moves.ask(row))
  return {
    drop,
    ask,
    onKey({ key, altKey }) {
      if (!altKey) return false
      if (key === 'ArrowUp' && at.row > 0) drop(at.row, at.row - 1)
      if (key === 'ArrowDown' && at.row < rows.length - 1) drop(at.row, at.row + 1)
      if (key === 'Enter') ask(at.row)
      return key === 'ArrowUp' || key === 'ArrowDown' || key === 'Enter'
    },
  }
}
