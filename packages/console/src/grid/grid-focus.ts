/** The one cell of a grid that has its tab stop, and the cell that is being edited. */
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react'
import type { LeaveEditor } from './grid-column.ts'
import type { CellPlace } from './grid-window.ts'

export type GridFocus = {
  readonly at: CellPlace
  readonly editing: CellPlace | undefined
  /** The cell gets the focus when it is drawn. */
  focusOn(next: CellPlace): void
  edit(place: CellPlace): void
  /** The cell has the focus already: a screen reader can put it anywhere. */
  note(place: CellPlace): void
  readonly leave: LeaveEditor
}

type Size = { readonly rows: number; readonly columns: number }

/** Fewer rows than before: the tab stop stays within them. */
function within({ row, column }: CellPlace, { rows, columns }: Size): CellPlace {
  return { row: Math.max(0, Math.min(row, rows - 1)), column: Math.max(0, Math.min(column, columns - 1)) }
}

export function useGridFocus(grid: RefObject<HTMLDivElement | null>, size: Size): GridFocus {
  const [wanted, setAt] = useState<CellPlace>({ row: 0, column: 0 })
  const [editing, setEditing] = useState<CellPlace | undefined>()
  const hasMoved = useRef(false)
  const at = within(wanted, size)

  useLayoutEffect(() => {
    if (!hasMoved.current) return
    hasMoved.current = false
    const cell = `[data-row="${at.row}"] [data-column="${at.column}"]`
    grid.current?.querySelector<HTMLElement>(cell)?.focus({ preventScroll: true })
  })

  const leave = useCallback<LeaveEditor>((to) => {
    setEditing(undefined)
    if (to === 'stay') hasMoved.current = true
  }, [])
  return {
    at,
    editing,
    leave,
    focusOn(next) {
      hasMoved.current = true
      setAt(next)
    },
    note: (place) => {
      if (place.row !== at.row || place.column !== at.column) setAt(place)
    },
    edit(place) {
      setAt(place)
      setEditing(place)
    },
  }
}
