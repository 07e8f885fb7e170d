/** The columns of a grid. The grid knows no resource: a column says how it shows a row. */
import type { ReactNode } from 'react'

export type GridRow = Readonly<Record<string, unknown>>

/** `'stay'`: the cell has the focus again; `'go'`: the focus has gone elsewhere. */
export type LeaveEditor = (to: 'stay' | 'go') => void

/** Both resolve to whether the row has moved. */
export type RowMoves = {
  /** Moves a row to the place of another one. */
  move(from: number, to: number): Promise<boolean>
  /** Asks where the row shall go. */
  ask(row: number): Promise<boolean>
}

export type GridColumn = {
  readonly id: string
  readonly label: string
  /** In pixels, for text of the usual size. */
  readonly width: number
  /** It takes room that is left. */
  readonly grows?: boolean
  readonly sortable: boolean
  /** Figures stand at the right. */
  readonly isFigure: boolean
  /** Enter opens the row here, and F2 edits the cell. */
  readonly opens?: boolean
  show(row: GridRow): ReactNode
  /** The input of a cell that can be edited in place. It calls `leave` when it is done. */
  readonly edit?: ((row: GridRow, leave: LeaveEditor) => ReactNode) | undefined
}

export const columnWidthMin = 64
export const columnWidthMax = 960

export function fitWidth(width: number): number {
  return Math.min(columnWidthMax, Math.max(columnWidthMin, Math.round(width)))
}

/** The left edge of each column, and the width of all. */
export function edgesOf(columns: readonly GridColumn[]): readonly number[] {
  const edges = [0]
  for (const { width } of columns) edges.push((edges.at(-1) as number) + width)
  return edges
}
