/** A value in a cell, and on the page of its record, by the kind of its field. */
import type { FieldDescription } from 'bindery-server/client'
import type { ReactNode } from 'react'
import type { KindField } from './field-kind.ts'
import { kindOf } from './field-kinds.ts'

function plain(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** An empty list is shown as no value is. */
function isAbsent(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0)
}

export function showValue(field: KindField, value: unknown): ReactNode {
  if (isAbsent(value)) return <span className="absent">–</span>
  return kindOf(field).cell?.(value as never, field) ?? plain(value)
}

export function showWhole(field: KindField, value: unknown): ReactNode {
  const { whole } = kindOf(field)
  return isAbsent(value) || !whole ? showValue(field, value) : whole(value as never, field)
}

export function isFigure(field: FieldDescription): boolean {
  return kindOf(field).isFigure === true
}

/** Texts take the room that a list has left. */
export function growsIn(field: FieldDescription): boolean {
  return kindOf(field).width === undefined
}
