/** The keys of a grid, as the ARIA Authoring Practices have them. */
import type { KeyboardEvent } from 'react'
import type { CellPlace } from './grid-window.ts'

export type GridSize = { readonly rows: number; readonly columns: number; readonly pageRows: number }

/** The cell that the key leads to; undefined for a key that does not move. */
export function movedBy(
  event: KeyboardEvent,
  at: CellPlace,
  { rows, columns, pageRows }: GridSize,
): CellPlace | undefined {
  const steps: Readonly<Record<string, readonly [number, number]>> = {
    ArrowDown: [1, 0],
    ArrowUp: [-1, 0],
    ArrowLeft: [0, -1],
    ArrowRight: [0, 1],
    PageDown: [pageRows, 0],
    PageUp: [-pageRows, 0],
  }
  const step = steps[event.key]
  const within = (row: number, column: number): CellPlace => ({
    row: Math.min(Math.max(row, 0), rows - 1),
    column: Math.min(Math.max(column, 0), columns - 1),
  })
  if (step) return within(at.row + step[0], at.column + step[1])
  if (event.key === 'Home') return within(event.ctrlKey ? 0 : at.row, 0)
  if (event.key === 'End') return within(event.ctrlKey ? rows - 1 : at.row, columns - 1)
  return undefined
}
