/** A row of a grid, and its head. */
import { memo } from 'react'
import type { GridColumn, GridRow } from './grid-column.ts'
import { type GridWindow, rowHeight } from './grid-window.ts'

type LineProps = {
  readonly columns: readonly GridColumn[]
  readonly row: GridRow
  readonly index: number
  /** The column of the focused cell, where it is in this row. */
  readonly at: number | undefined
  readonly isSelected: boolean
  readonly firstColumn: number
  readonly lastColumn: number
}

export const GridLine = memo(function GridLine(props: LineProps) {
  const { columns, row, index, at, isSelected, firstColumn, lastColumn } = props
  // The first column stays in view, and the focused one stays in the page.
  const isShown = (i: number) => i === 0 || i === at || (i >= firstColumn && i <= lastColumn)
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      className="grid-row"
      data-row={index}
      style={{ transform: `translateY(${index * rowHeight}px)` }}
    >
      {columns.map((column, i) =>
        isShown(i) ? (
          <div
            key={column.id}
            role={i === 0 ? 'rowheader' : 'gridcell'}
            aria-colindex={i + 1}
            tabIndex={at === i ? 0 : -1}
            className={column.isFigure ? 'grid-cell figure' : 'grid-cell'}
            data-column={i}
            style={{ gridColumn: i + 1 }}
          >
            {column.show(row)}
          </div>
        ) : null,
      )}
    </div>
  )
})

type Direction = 'ascending' | 'descending' | 'none'
const marks: Readonly<Record<Direction, string>> = { ascending: ' ▲', descending: ' ▼', none: '' }

function directionOf(sort: string, id: string): Direction {
  if (sort === id) return 'ascending'
  return sort === `-${id}` ? 'descending' : 'none'
}

type HeadCellProps = {
  readonly column: GridColumn
  readonly index: number
  readonly sort: string
  onSort(next: string): void
}

function HeadCell({ column, index, sort, onSort }: HeadCellProps) {
  const { id, label, sortable, isFigure } = column
  const direction = directionOf(sort, id)
  return (
    <div
      role="columnheader"
      aria-colindex={index + 1}
      aria-sort={sortable ? direction : undefined}
      className={isFigure ? 'grid-th figure' : 'grid-th'}
      style={{ gridColumn: index + 1 }}
    >
      {sortable ? (
        <button type="button" className="plain" onClick={() => onSort(direction === 'ascending' ? `-${id}` : id)}>
          {label}
          <span aria-hidden="true">{marks[direction]}</span>
        </button>
      ) : (
        label
      )}
    </div>
  )
}

type HeadProps = {
  readonly columns: readonly GridColumn[]
  readonly sort: string
  readonly shown: GridWindow
  onSort(next: string): void
}

export function GridHead({ columns, sort, shown, onSort }: HeadProps) {
  return (
    <div role="row" aria-rowindex={1} className="grid-head">
      {columns.map((column, i) => {
        if (i !== 0 && (i < shown.firstColumn || i > shown.lastColumn)) return null
        return <HeadCell key={column.id} column={column} index={i} sort={sort} onSort={onSort} />
      })}
    </div>
  )
}
