/** How each type of field is shown in a cell. A type that is not in the table is shown as text. */
import type { FieldDescription } from 'bindery-server/client'
import type { ReactNode } from 'react'
import { locale, t } from '../words/words.ts'

const numbers = new Intl.NumberFormat(locale)
const money = new Intl.NumberFormat(locale, { minimumFractionDigits: 2 })
const times = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })

type Show = (value: never) => ReactNode

const shows: Readonly<Record<string, Show>> = {
  boolean: (value: boolean) => (value ? t('yes') : t('no')),
  integer: (value: number) => numbers.format(value),
  money: (value: number) => money.format(value),
  timestamp: (value: string) => (
    <time dateTime={value} title={value}>
      {times.format(new Date(value))}
    </time>
  ),
  choice: (value: string) => <span className="tag">{value}</span>,
  textList: (value: readonly string[]) => value.join(', '),
}

function plain(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

export function showValue({ type }: Pick<FieldDescription, 'type'>, value: unknown): ReactNode {
  if (value === null || value === undefined) return <span className="absent">–</span>
  return shows[type]?.(value as never) ?? plain(value)
}

const figureTypes: readonly string[] = ['integer', 'money', 'decimal']
const shortTypes: readonly string[] = [...figureTypes, 'boolean', 'timestamp', 'choice']

export function isFigure({ type, reference }: FieldDescription): boolean {
  return figureTypes.includes(type) && !reference
}

/** Texts take the room that a list has left. */
export function growsIn({ type }: FieldDescription): boolean {
  return !shortTypes.includes(type)
}
