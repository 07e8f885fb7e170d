/** The columns of a grid. The grid knows no resource: a column says how it shows a row. */
import type { ReactNode } from 'react'

export type GridRow = Readonly<Record<string, unknown>>

export type GridColumn = {
  readonly id: string
  readonly label: string
  /** In pixels. */
  readonly width: number
  readonly sortable: boolean
  /** Figures stand at the right. */
  readonly isFigure: boolean
  show(row: GridRow): ReactNode
}

/** The left edge of each column, and the width of all. */
export function edgesOf(columns: readonly GridColumn[]): readonly number[] {
  const edges = [0]
  for (const { width } of columns) edges.push((edges.at(-1) as number) + width)
  return edges
}
