/** The keys and clicks of a grid: they move, select, edit and open. */
import { type FocusEvent, type KeyboardEvent, type MouseEvent, useRef } from 'react'
import type { GridColumn, GridRow } from './grid-column.ts'
import type { GridFocus } from './grid-focus.ts'
import { movedBy } from './grid-keys.ts'
import type { GridMoves } from './grid-moves.ts'
import { type Selected, toggled, withRange } from './grid-selection.ts'
import type { CellPlace } from './grid-window.ts'

type ActsOn = {
  readonly columns: readonly GridColumn[]
  readonly rows: readonly GridRow[]
  readonly idField: string
  readonly focus: GridFocus
  readonly selected: Selected | undefined
  onSelect?(next: Selected): void
  onOpen(row: GridRow): void
  readonly moves: GridMoves | undefined
  pageRows(): number
  reveal(place: CellPlace): void
}

type Range = { readonly anchor: number; readonly before: Selected }

function noteFocus(focus: GridFocus, { target }: FocusEvent): void {
  const { dataset, parentElement } = target as HTMLElement
  if (dataset.column !== undefined)
    focus.note({ row: Number(parentElement?.dataset.row), column: Number(dataset.column) })
}

export function useGridActs(on: ActsOn) {
  const { columns, rows, idField, focus, selected, onSelect, onOpen } = on
  const { at } = focus
  const range = useRef<Range | undefined>(undefined)
  const idAt = (row: number) => String(rows[row]?.[idField])

  function moveTo(next: CellPlace, isRange: boolean): void {
    on.reveal(next)
    if (isRange && selected && onSelect) {
      range.current ??= { anchor: at.row, before: selected }
      const { anchor, before } = range.current
      onSelect(
        withRange(
          before,
          rows.map((row) => String(row[idField])),
          [anchor, next.row],
        ),
      )
    } else range.current = undefined
    focus.focusOn(next)
  }

  function toggle(row: number): void {
    range.current = undefined
    if (selected) onSelect?.(toggled(selected, idAt(row)))
  }

  /** Enter edits a cell that can be edited, and opens the row elsewhere. */
  function enter(place: CellPlace, key: 'Enter' | 'F2'): void {
    const column = columns[place.column] as GridColumn
    if (column.edit && (key === 'F2' || !column.opens)) focus.edit(place)
    else if (key === 'Enter') onOpen(rows[place.row] as GridRow)
  }

  function onKeyDown(event: KeyboardEvent): void {
    if ((event.target as HTMLElement).dataset.column === undefined || rows.length === 0) return
    const { key } = event
    if (on.moves?.onKey(event)) {
      event.preventDefault()
      return
    }
    const next = movedBy(event, at, { rows: rows.length, columns: columns.length, pageRows: on.pageRows() })
    if (next) moveTo(next, event.shiftKey)
    else if (key === 'Enter' || key === 'F2') enter(at, key)
    else if (key === ' ') toggle(at.row)
    else if (key === 'a' && (event.ctrlKey || event.metaKey))
      onSelect?.(new Set(rows.map((row) => String(row[idField]))))
    else if (key === 'Escape' && selected?.size) onSelect?.(new Set())
    else return
    event.preventDefault()
  }

  function onClick(event: MouseEvent): void {
    const target = event.target as HTMLElement
    const cell = target.closest<HTMLElement>('[data-column]')
    if (!cell || target.closest('a, .edited')) return
    const row = Number((cell.parentElement as HTMLElement).dataset.row)
    if (target.closest('[data-handle]')) {
      on.moves?.ask(row)
      return
    }
    const place = { row, column: Number(cell.dataset.column) }
    const isCheck = target.closest('[data-check]') !== null
    if (isCheck && !event.shiftKey) toggle(row)
    const column = columns[place.column]
    if (column?.edit && !column.opens && !event.shiftKey) focus.edit(place)
    else moveTo(place, event.shiftKey)
  }

  function onDoubleClick(event: MouseEvent): void {
    const cell = (event.target as HTMLElement).closest<HTMLElement>('[data-column]')
    if (!cell || (event.target as HTMLElement).closest('a, .edited, [data-check], [data-handle]')) return
    const place = { row: Number(cell.parentElement?.dataset.row), column: Number(cell.dataset.column) }
    if (columns[place.column]?.edit) focus.edit(place)
    else onOpen(rows[place.row] as GridRow)
  }
  return { onKeyDown, onFocus: (event: FocusEvent) => noteFocus(focus, event), onClick, onDoubleClick }
}
