/** Rows of a grid that are dragged to another place in it. */
import { type DragEvent, useRef } from 'react'
import type { GridMoves } from './grid-moves.ts'

const rowOf = ({ target }: DragEvent) => (target as HTMLElement).closest<HTMLElement>('[data-row]')

/** The handlers of the body of the grid; none where rows do not move. */
export function useGridDrag(moves: GridMoves | undefined) {
  const from = useRef<number | undefined>(undefined)
  const over = useRef<HTMLElement | null>(null)
  if (!moves) return {}

  function mark(row: HTMLElement | null): void {
    if (over.current === row) return
    delete over.current?.dataset.over
    over.current = row
    if (row) row.dataset.over = Number(row.dataset.row) > (from.current ?? 0) ? 'after' : 'before'
  }

  return {
    onDragStart(event: DragEvent) {
      const row = rowOf(event)
      if (!row) return
      from.current = Number(row.dataset.row)
      event.dataTransfer.effectAllowed = 'move'
      // Firefox drags nothing without data.
      event.dataTransfer.setData('text/plain', row.dataset.row ?? '')
    },
    onDragOver(event: DragEvent) {
      if (from.current === undefined) return
      event.preventDefault()
      mark(rowOf(event))
    },
    onDrop(event: DragEvent) {
      const to = rowOf(event)?.dataset.row
      event.preventDefault()
      if (from.current !== undefined && to !== undefined) moves?.drop(from.current, Number(to))
    },
    onDragEnd() {
      mark(null)
      from.current = undefined
    },
  }
}
