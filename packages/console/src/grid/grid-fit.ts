/** The widths of columns in the page: they follow the size of text, and take room that is left. */
import { type RefObject, useLayoutEffect, useState } from 'react'
import type { GridColumn } from './grid-column.ts'

/** 2 where the reader has made the text of the browser twice as large. */
export const textScale = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16
/** The height of a row, which grid.css has too. */
export const rowHeight = 36 * textScale

/** A column that grows is at most three times as wide. */
const growthMax = 2

function sumOf(columns: readonly GridColumn[]): number {
  return columns.reduce((sum, { width }) => sum + width, 0)
}

/** Columns that grow share the room that is left, in proportion to their widths. */
export function fitColumns(columns: readonly GridColumn[], room: number): readonly GridColumn[] {
  const scaled = columns.map((column) => ({ ...column, width: column.width * textScale }))
  const growing = sumOf(scaled.filter(({ grows }) => grows))
  const growth = Math.min(growthMax, Math.max(0, room - sumOf(scaled)) / Math.max(1, growing))
  return scaled.map((column) => (column.grows ? { ...column, width: Math.floor(column.width * (1 + growth)) } : column))
}

/** The width inside an element, known before the page is painted. */
export function useRoom(element: RefObject<HTMLElement | null>): number {
  const [room, setRoom] = useState(0)
  useLayoutEffect(() => {
    const look = () => setRoom(element.current?.clientWidth ?? 0)
    look()
    const observer = new ResizeObserver(look)
    if (element.current) observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return room
}
