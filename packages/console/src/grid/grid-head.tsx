/** The head of a grid: it sorts, and its edges resize the columns. */
import { type PointerEvent, useState } from 'react'
import { t } from '../words/words.ts'
import { fitWidth, type GridColumn } from './grid-column.ts'
import { textScale } from './grid-fit.ts'
import type { GridWindow } from './grid-window.ts'

type Direction = 'ascending' | 'descending' | 'none'
const marks: Readonly<Record<Direction, string>> = { ascending: ' ▲', descending: ' ▼', none: '' }

function directionOf(sort: string, id: string): Direction {
  if (sort === id) return 'ascending'
  return sort === `-${id}` ? 'descending' : 'none'
}

type OnResize = ((id: string, width: number) => void) | undefined
type EdgeProps = { readonly column: GridColumn; onResize(id: string, width: number): void }

/** For the pointer alone; the choice of columns has the widths for the keyboard. */
function Edge({ column, onResize }: EdgeProps) {
  const [from, setFrom] = useState<{ readonly x: number; readonly width: number }>()
  return (
    <span
      className="grid-edge"
      aria-hidden="true"
      onPointerDown={(event: PointerEvent<HTMLElement>) => {
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
        setFrom({ x: event.clientX, width: column.width })
      }}
      onPointerMove={(event) =>
        from && onResize(column.id, fitWidth((from.width + event.clientX - from.x) / textScale))
      }
      onPointerUp={() => setFrom(undefined)}
      onPointerCancel={() => setFrom(undefined)}
    />
  )
}

type HeadCellProps = {
  readonly column: GridColumn
  readonly index: number
  readonly sort: string
  onSort(next: string): void
  readonly onResize: OnResize
  readonly all: AllRows | undefined
}

function HeadCell({ column, index, sort, onSort, onResize, all }: HeadCellProps) {
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
      {index === 0 && all && <AllCheck all={all} />}
      {sortable ? (
        <button type="button" className="plain" onClick={() => onSort(direction === 'ascending' ? `-${id}` : id)}>
          {label}
          <span aria-hidden="true">{marks[direction]}</span>
        </button>
      ) : (
        label
      )}
      {onResize && <Edge column={column} onResize={onResize} />}
    </div>
  )
}

/** The checkbox for all loaded rows. */
export type AllRows = { readonly state: 'all' | 'some' | 'none'; toggle(): void }

function AllCheck({ all: { state, toggle } }: { readonly all: AllRows }) {
  return (
    <label className="grid-check">
      <input
        type="checkbox"
        aria-label={t('selectLoaded')}
        checked={state === 'all'}
        ref={(input) => {
          if (input) input.indeterminate = state === 'some'
        }}
        onChange={toggle}
      />
    </label>
  )
}

type HeadProps = {
  readonly columns: readonly GridColumn[]
  readonly sort: string
  readonly shown: GridWindow
  onSort(next: string): void
  readonly onResize: OnResize
  readonly all: AllRows | undefined
}

export function GridHead({ columns, shown, all, ...rest }: HeadProps) {
  return (
    <div role="row" aria-rowindex={1} className="grid-head">
      {columns.map((column, i) => {
        if (i !== 0 && (i < shown.firstColumn || i > shown.lastColumn)) return null
        return <HeadCell key={column.id} column={column} index={i} all={all} {...rest} />
      })}
    </div>
  )
}
