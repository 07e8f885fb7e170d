/** The part of a grid that is in view: only these rows and columns are in the page. */
import { type RefObject, useCallback, useLayoutEffect, useState } from 'react'
import { rowHeight } from './grid-fit.ts'

const rowsAround = 8

export type CellPlace = { readonly row: number; readonly column: number }
export type GridWindow = {
  readonly firstRow: number
  readonly rows: number
  readonly firstColumn: number
  readonly lastColumn: number
}

const first: GridWindow = { firstRow: 0, rows: 40, firstColumn: 0, lastColumn: 12 }

function isSame(one: GridWindow, other: GridWindow): boolean {
  return (Object.keys(one) as (keyof GridWindow)[]).every((key) => one[key] === other[key])
}

/** It changes by whole rows and columns only, so scrolling by pixels draws nothing. */
export function useGridWindow(
  grid: RefObject<HTMLDivElement | null>,
  edges: readonly number[],
): { readonly shown: GridWindow; look(): void } {
  const [shown, setShown] = useState(first)
  const look = useCallback(() => {
    if (!grid.current) return
    const { scrollTop, scrollLeft, clientHeight, clientWidth } = grid.current
    const columnAt = (x: number) => edges.findLastIndex((edge) => edge <= x)
    const next: GridWindow = {
      firstRow: Math.max(0, Math.floor(scrollTop / rowHeight) - rowsAround),
      rows: Math.ceil(clientHeight / rowHeight) + 2 * rowsAround,
      firstColumn: Math.max(0, columnAt(scrollLeft) - 1),
      lastColumn: columnAt(scrollLeft + clientWidth) + 1,
    }
    setShown((old) => (isSame(old, next) ? old : next))
  }, [grid, edges])
  useLayoutEffect(() => {
    look()
    const observer = new ResizeObserver(look)
    if (grid.current) observer.observe(grid.current)
    return () => observer.disconnect()
  }, [grid, look])
  return { shown, look }
}

/** Moves the scroll position just far enough to show a cell. */
export function reveal(grid: HTMLDivElement, { row, column }: CellPlace, edges: readonly number[]): void {
  const top = row * rowHeight
  const page = grid.clientHeight - 2 * rowHeight
  if (top < grid.scrollTop) grid.scrollTop = top
  else if (top > grid.scrollTop + page) grid.scrollTop = top - page
  const [left = 0, right = 0] = [edges[column], edges[column + 1]]
  const isPinned = getComputedStyle(grid.querySelector('.grid-head > :first-child') ?? grid).position === 'sticky'
  const pinned = isPinned ? (edges[1] ?? 0) : 0
  if (column === 0) grid.scrollLeft = 0
  else if (left - pinned < grid.scrollLeft) grid.scrollLeft = left - pinned
  else if (right > grid.scrollLeft + grid.clientWidth) grid.scrollLeft = right - grid.clientWidth
}
