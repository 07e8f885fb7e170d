/**
 * A list as an ARIA grid: a window of rows and columns, one tab stop, arrows, Shift ranges. It
 * knows no resource. `total` may come later than the rows.
 */
import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { edgesOf, type GridColumn, type GridRow } from './grid-column.ts'
import { movedBy } from './grid-keys.ts'
import { GridHead, GridLine } from './grid-line.tsx'
import { type CellPlace, type GridWindow, reveal, rowHeight, useGridWindow } from './grid-window.ts'

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
}

function styleOf(columns: readonly GridColumn[], edges: readonly number[]): CSSProperties {
  const tracks = columns.map(({ width }) => `${width}px`).join(' ')
  return { '--columns': tracks, '--width': `${edges.at(-1)}px` } as CSSProperties
}

function rowOf(event: MouseEvent): number | undefined {
  const line = (event.target as HTMLElement).closest<HTMLElement>('[data-row]')
  return line ? Number(line.dataset.row) : undefined
}

type LinesProps = Pick<GridProps, 'columns' | 'rows' | 'idField'> & {
  readonly shown: GridWindow
  readonly at: CellPlace
  readonly range: readonly [number, number] | undefined
}

function Lines({ columns, rows, idField, shown, at, range }: LinesProps) {
  const [low, high] = range ? [Math.min(...range), Math.max(...range)] : [-1, -2]
  return rows.slice(shown.firstRow, shown.firstRow + shown.rows).map((row, i) => {
    const index = shown.firstRow + i
    return (
      <GridLine
        key={String(row[idField])}
        columns={columns}
        row={row}
        index={index}
        at={at.row === index ? at.column : undefined}
        isSelected={index >= low && index <= high}
        firstColumn={shown.firstColumn}
        lastColumn={shown.lastColumn}
      />
    )
  })
}

export function Grid(props: GridProps) {
  const { label, columns, rows, idField, total, isLoading, sort, onSort, onMore, onOpen } = props
  const edges = useMemo(() => edgesOf(columns), [columns])
  const { grid, shown, look } = useGridWindow(edges)
  const [at, setAt] = useState<CellPlace>({ row: 0, column: 0 })
  const [range, setRange] = useState<readonly [number, number] | undefined>()
  const hasMoved = useRef(false)

  useEffect(() => {
    if (shown.firstRow + shown.rows > rows.length - 30) onMore()
  }, [shown, rows.length, onMore])

  useLayoutEffect(() => {
    if (!hasMoved.current) return
    hasMoved.current = false
    const cell = `[data-row="${at.row}"] [data-column="${at.column}"]`
    grid.current?.querySelector<HTMLElement>(cell)?.focus({ preventScroll: true })
  })

  function moveTo(next: CellPlace, isRange: boolean): void {
    reveal(grid.current as HTMLDivElement, next, edges)
    look()
    setRange(isRange ? [range?.[0] ?? at.row, next.row] : undefined)
    setAt(next)
    hasMoved.current = true
  }

  function onKeyDown(event: KeyboardEvent): void {
    if ((event.target as HTMLElement).dataset.column === undefined) return
    const pageRows = Math.floor((grid.current as HTMLDivElement).clientHeight / rowHeight) - 2
    const next = movedBy(event, at, { rows: rows.length, columns: columns.length, pageRows })
    if (next) moveTo(next, event.shiftKey)
    else if (event.key === 'Enter') onOpen(rows[at.row] as GridRow)
    else return
    event.preventDefault()
  }

  function onClick(event: MouseEvent): void {
    const cell = (event.target as HTMLElement).closest<HTMLElement>('[data-column]')
    if (!cell) return
    const row = Number((cell.parentElement as HTMLElement).dataset.row)
    moveTo({ row, column: Number(cell.dataset.column) }, event.shiftKey)
  }

  const style = useMemo(() => styleOf(columns, edges), [columns, edges])
  return (
    <div
      ref={grid}
      role="grid"
      aria-label={label}
      aria-rowcount={total === undefined ? -1 : total + 1}
      aria-colcount={columns.length}
      aria-multiselectable="true"
      aria-busy={isLoading}
      className="grid"
      style={style}
      onScroll={look}
      onKeyDown={onKeyDown}
    >
      <GridHead columns={columns} sort={sort} shown={shown} onSort={onSort} />
      <div
        role="rowgroup"
        className="grid-body"
        style={{ height: rows.length * rowHeight }}
        onClick={onClick}
        onDoubleClick={(event) => {
          const row = rows[rowOf(event) ?? -1]
          if (row) onOpen(row)
        }}
      >
        <Lines columns={columns} rows={rows} idField={idField} shown={shown} at={at} range={range} />
      </div>
    </div>
  )
}
