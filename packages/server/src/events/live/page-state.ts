/**
 * The content of a live page: records in their order, and the figures of the list. A change of it
 * is the new order, the records that are new or differ, and the figures. A summary is sent whole.
 */
import { jsonText } from '../../base/json-text.ts'
import { ApiError } from '../../errors.ts'
import { isTable } from '../../resource/members.ts'
import { eventName, printBlock } from './print-live.ts'

type Shown = Readonly<Record<string, unknown>>

export type PageState =
  | { readonly kind: 'summary'; readonly body: unknown; readonly text: string }
  | {
      readonly kind: 'page'
      readonly order: readonly unknown[]
      /** By the id as text: the record, and its text. */
      readonly records: ReadonlyMap<string, { readonly record: Shown; readonly text: string }>
      readonly meta: unknown
      /** The field by which a client finds the records of the order. */
      readonly idField: string
      readonly text: string
    }
/** Throws `ApiError`, as the list would. */
export type ReadPageState = () => Promise<PageState>

type AnsweredList = { readonly data: readonly unknown[]; readonly meta: unknown }

/** `total`: the header of lists whose body has none. */
function listOf(body: unknown, total: string | undefined): AnsweredList {
  if (Array.isArray(body)) return { data: body, meta: total === undefined ? {} : { total: Number(total) } }
  return body as AnsweredList
}

/** Throws `bad-request` where the client leaves the ids out. */
export function pageStateOf(
  text: string,
  { idField, total }: { idField: string; total: string | undefined },
): PageState {
  const { data, meta } = listOf(JSON.parse(text), total)
  const records = new Map<string, { readonly record: Shown; readonly text: string }>()
  const order = data.map((record) => {
    const id = isTable(record) ? record[idField] : undefined
    if (id === undefined) throw new ApiError('bad-request', `A live page needs ${idField}: name it in fields`)
    records.set(String(id), { record: record as Shown, text: jsonText(record) })
    return id
  })
  return { kind: 'page', order, records, meta, idField, text: jsonText([order, meta]) }
}

export function summaryStateOf(text: string): PageState {
  return { kind: 'summary', body: JSON.parse(text), text }
}

type PrintedAs = { readonly last: PageState | undefined; readonly name: string | undefined }

/** Empty where nothing differs from the last state. */
export function printPage(next: PageState, { last, name }: PrintedAs): string {
  const event = eventName(name, next.kind)
  if (next.kind === 'summary') return next.text === last?.text ? '' : printBlock({ event, data: next.body })
  const known = last?.kind === 'page' ? last.records : undefined
  const records = [...next.records]
    .filter(([id, { text }]) => known?.get(id)?.text !== text)
    .map(([, { record }]) => record)
  if (records.length === 0 && next.text === last?.text) return ''
  const { order, idField, meta } = next
  return printBlock({ event, data: { order, idField, records, meta } })
}
