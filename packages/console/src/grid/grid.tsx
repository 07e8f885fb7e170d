/**
 * A list as an ARIA grid: a window of rows and columns, one tab stop, arrows, Shift ranges, cells
 * that are edited in place. It knows no resource. `total` may come later than the rows.
 */
import { type CSSProperties, useEffect, useMemo, useRef } from 'react'
import { useGridActs } from './grid-acts.ts'
import { edgesOf, type GridColumn, type GridRow, type RowMoves } from './grid-column.ts'
import { useGridDrag } from './grid-drag.ts'
import { fitColumns, rowHeight, useRoom } from './grid-fit.ts'
import { type GridFocus, useGridFocus } from './grid-focus.ts'
import { type AllRows, GridHead } from './grid-head.tsx'
import { GridLine } from './grid-line.tsx'
import { type GridMoves, useGridMoves } from './grid-moves.ts'
import type { Selected } from './grid-selection.ts'
import { type CellPlace, type GridWindow, reveal, useGridWindow } from './grid-window.ts'

export type GridProps = {
  readonly label: string
  readonly columns: readonly GridColumn[]
  readonly rows: readonly GridRow[]
  readonly idField: string
  readonly total: number | undefined
  readonly isLoading: boolean
  readonly sort: string
  onSort(next: string): void
  /** More rows are about to be needed. */
  onMore(): void
  onOpen(row: GridRow): void
  /** The ids of the selected rows, where rows can be selected. */
  readonly selected?: Selected
  onSelect?(next: Selected): void
  onResize?(id: string, width: number): void
  /** The ids of rows that have just changed. */
  readonly marked?: Selected | undefined
  /** Where people order the rows. */
  readonly moves?: RowMoves | undefined
}

function styleOf(columns: readonly GridColumn[], edges: readonly number[]): CSSProperties {
  const tracks = columns.map(({ width }) => `${width}px`).join(' ')
  return { '--columns': tracks, '--width': `${edges.at(-1)}px` } as CSSProperties
}

type LinesProps = Pick<GridProps, 'columns' | 'rows' | 'idField' | 'selected' | 'marked'> & {
  readonly moves: GridMoves | undefined
  readonly shown: GridWindow
  readonly focus: GridFocus
}

/** The rows of the window, and the focused one, which stays in the page. */
function indexesOf({ firstRow, rows }: GridWindow, at: number, count: number): readonly number[] {
  const end = Math.min(firstRow + rows, count)
  const shown = Array.from({ length: Math.max(0, end - firstRow) }, (_, i) => firstRow + i)
  return at >= count || (at >= firstRow && at < end) ? shown : [...shown, at].sort((a, b) => a - b)
}

function Lines({ columns, rows, idField, selected, marked, moves, shown, focus }: LinesProps) {
  const { at, editing, leave } = focus
  return indexesOf(shown, at.row, rows.length).map((index) => {
    const row = rows[index] as GridRow
    return (
      <GridLine
        key={String(row[idField])}
        columns={columns}
        row={row}
        index={index}
        at={at.row === index ? at.column : undefined}
        editing={editing?.row === index ? editing.column : undefined}
        onLeave={leave}
        isSelected={selected?.has(String(row[idField]))}
        isMarked={marked?.has(String(row[idField])) === true}
        isMovable={moves !== undefined}
        firstColumn={shown.firstColumn}
        lastColumn={shown.lastColumn}
      />
    )
  })
}

type BodyProps = LinesProps & Pick<GridProps, 'isLoading'> & { readonly acts: ReturnType<typeof useGridActs> }

function Body({ columns, rows, idField, selected, marked, shown, focus, acts, moves, isLoading }: BodyProps) {
  const drag = useGridDrag(moves)
  return (
    <div
      role="rowgroup"
      className="grid-body"
      data-waits={isLoading && rows.length === 0 ? '' : undefined}
      style={{ height: rows.length * rowHeight || undefined }}
      onClick={acts.onClick}
      onDoubleClick={acts.onDoubleClick}
      {...drag}
    >
      <Lines {...{ columns, rows, idField, selected, marked, shown, focus, moves }} />
    </div>
  )
}

function allOf({ rows, idField, selected, onSelect }: GridProps): AllRows | undefined {
  if (!selected || !onSelect) return undefined
  const isAll = rows.length > 0 && rows.every((row) => selected.has(String(row[idField])))
  const toggle = () => onSelect(new Set(isAll ? [] : rows.map((row) => String(row[idField]))))
  return { state: isAll ? 'all' : selected.size > 0 ? 'some' : 'none', toggle }
}

export function Grid(props: GridProps) {
  const { label, rows, idField, total, isLoading, sort, selected, onSelect, onMore, onOpen } = props
  const grid = useRef<HTMLDivElement>(null)
  const room = useRoom(grid)
  const columns = useMemo(() => fitColumns(props.columns, room), [props.columns, room])
  const edges = useMemo(() => edgesOf(columns), [columns])
  const { shown, look } = useGridWindow(grid, edges)
  const focus = useGridFocus(grid, { rows: rows.length, columns: columns.length })
  const show = (place: CellPlace) => {
    reveal(grid.current as HTMLDivElement, place, edges)
    look()
  }
  const moves = useGridMoves({ rows, idField, focus, moves: props.moves, reveal: show })
  const acts = useGridActs({
    columns,
    rows,
    idField,
    focus,
    selected,
    ...(onSelect && { onSelect }),
    onOpen,
    moves,
    pageRows: () => Math.floor((grid.current as HTMLDivElement).clientHeight / rowHeight) - 2,
    reveal: show,
  })

  useEffect(() => {
    if (shown.firstRow + shown.rows > rows.length - 30) onMore()
  }, [shown, rows.length, onMore])

  const style = useMemo(() => styleOf(columns, edges), [columns, edges])
  return (
    <div
      ref={grid}
      role="grid"
      aria-label={label}
      aria-rowcount={total === undefined ? -1 : total + 1}
      aria-colcount={columns.length}
      aria-multiselectable={selected !== undefined}
      aria-busy={isLoading}
      aria-keyshortcuts={moves && 'Alt+ArrowUp Alt+ArrowDown Alt+Enter'}
      className="grid"
      style={style}
      onScroll={look}
      onKeyDown={acts.onKeyDown}
      onFocus={acts.onFocus}
    >
      <GridHead
        columns={columns}
        sort={sort}
        shown={shown}
        onSort={props.onSort}
        onResize={props.onResize}
        all={allOf(props)}
      />
      <Body {...{ ...props, columns, shown, focus, acts, moves }} />
    </div>
  )
}
