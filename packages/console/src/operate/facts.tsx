/** The parts that all pages for operators share: their facts from the server, tables, times, sizes. */

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { client } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { sayError } from '../shell/form-errors.ts'
import { notify, notifyError } from '../shell/notices.tsx'
import { printSize } from '../words/print-size.ts'
import { locale, t } from '../words/words.ts'

const root = '/api/v1/_operate/'

/** `effects` → the facts of operators; `/status` stays. */
const placeOf = (path: string) => (path.startsWith('/') ? path : root + path)

type Headers = Readonly<Record<string, string>>

/** `everyMs`: read again and again, as long as the page is open. */
export function useFacts<T>(path: string, everyMs?: number, headers: Headers = {}) {
  return useQuery({
    queryKey: ['_operate', path, headers],
    refetchInterval: everyMs,
    // Another filter or page of the same list replaces it when it is there
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<T> => (await client.send('GET', placeOf(path), { signal, headers })).body as T,
  })
}

/** `done`: a sentence, or the function that makes it of the answer. */
type Done = string | ((body: unknown) => string)

/** Asks for a write, says that it is done, and reads the facts again. */
export async function act(
  path: string,
  done: Done,
  sent: { readonly body?: object; readonly headers?: Headers } = {},
): Promise<void> {
  try {
    const answer = await client.send('POST', placeOf(path), sent)
    notify({ text: typeof done === 'string' ? done : done(answer.body) })
  } catch (error) {
    notifyError(error)
  }
  await queries.invalidateQueries({ queryKey: ['_operate'] })
}

const figures = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
const times = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })

export const printFigure = (value: number | null | undefined) => (value == null ? '–' : figures.format(value))
export const printTime = (at: string | number | null) => (at === null ? '–' : times.format(new Date(at)))
export const printMs = (ms: number | null | undefined) => (ms == null ? '–' : `${figures.format(ms)} ms`)
const spans = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** The largest whole unit: `3 hr`. */
export function printSpan(seconds: number): string {
  const [unit, size] = spans.find(([, one]) => seconds >= one) ?? ['second', 1]
  const style = { style: 'unit', unit, unitDisplay: 'short' } as const
  return new Intl.NumberFormat(locale, style).format(Math.floor(seconds / size))
}
export const printBytes = (value: number | null | undefined) => (value == null ? '–' : printSize(value))

type FactsProps<T> = {
  readonly title: string
  readonly facts: { readonly data: T | undefined; readonly error: Error | null }
  readonly children: (data: T) => ReactNode
}

export function FactsPage<T>({ title, facts: { data, error }, children }: FactsProps<T>) {
  return (
    <div className="operate">
      <h1>{title}</h1>
      {error && (
        <p role="alert" className="problem">
          {sayError(error)}
        </p>
      )}
      {data === undefined ? !error && <p className="quiet">{t('loading')}</p> : children(data)}
    </div>
  )
}

export type TableRow = { readonly key: string; readonly cells: readonly ReactNode[] }
type TableProps = { readonly label: string; readonly heads: readonly string[]; readonly rows: readonly TableRow[] }

/** A wide one scrolls by itself, also by keyboard. */
export function FactsTable({ label, heads, rows }: TableProps) {
  if (rows.length === 0) return <p className="empty">{t('none')}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard
    <section className="wide" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, at) => (
                <td key={heads[at]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
