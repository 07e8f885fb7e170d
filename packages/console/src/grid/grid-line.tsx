/** A row of a grid. */
import { memo } from 'react'
import { t } from '../words/words.ts'
import type { GridColumn, GridRow, LeaveEditor } from './grid-column.ts'
import { rowHeight } from './grid-fit.ts'

type LineProps = {
  readonly columns: readonly GridColumn[]
  readonly row: GridRow
  readonly index: number
  /** The column of the focused cell, where it is in this row. */
  readonly at: number | undefined
  /** The column of the cell that is edited, where it is in this row. */
  readonly editing: number | undefined
  readonly onLeave: LeaveEditor
  /** Undefined where rows are not selected. */
  readonly isSelected: boolean | undefined
  /** It has just changed. */
  readonly isMarked: boolean
  /** It can be moved to another place. */
  readonly isMovable: boolean
  readonly firstColumn: number
  readonly lastColumn: number
}

/** It is no tab stop: Space selects the row of the focused cell. */
function RowCheck({ isSelected }: { readonly isSelected: boolean }) {
  return (
    <span className="grid-check" data-check="">
      <input type="checkbox" tabIndex={-1} aria-label={t('select')} checked={isSelected} readOnly />
    </span>
  )
}

/** No tab stop: Alt with Enter does the same in the row. */
function Handle() {
  return (
    <button type="button" tabIndex={-1} className="plain grid-handle" data-handle="" aria-label={t('move')}>
      <span aria-hidden="true">⠿</span>
    </button>
  )
}

export const GridLine = memo(function GridLine(props: LineProps) {
  const { columns, row, index, at, editing, onLeave, isSelected, firstColumn, lastColumn } = props
  // The first column stays in view, and the focused one stays in the page.
  const isShown = (i: number) => i === 0 || i === at || (i >= firstColumn && i <= lastColumn)
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      className="grid-row"
      data-row={index}
      data-changed={props.isMarked ? '' : undefined}
      draggable={(props.isMovable && editing === undefined) || undefined}
      style={{ transform: `translateY(${index * rowHeight}px)` }}
    >
      {columns.map((column, i) => {
        if (!isShown(i)) return null
        const isEdited = editing === i && column.edit !== undefined
        const kind = `grid-cell${column.isFigure ? ' figure' : ''}${isEdited ? ' edited' : ''}`
        return (
          <div
            key={column.id}
            role={i === 0 ? 'rowheader' : 'gridcell'}
            aria-colindex={i + 1}
            aria-readonly={column.edit ? undefined : true}
            tabIndex={at === i ? 0 : -1}
            className={column.edit && !column.opens ? `${kind} editable` : kind}
            data-column={i}
            style={{ gridColumn: i + 1 }}
          >
            {i === 0 && isSelected !== undefined && <RowCheck isSelected={isSelected} />}
            {i === 0 && props.isMovable && <Handle />}
            {isEdited ? column.edit?.(row, onLeave) : column.show(row)}
          </div>
        )
      })}
    </div>
  )
})
