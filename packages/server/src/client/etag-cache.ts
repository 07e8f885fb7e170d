/**
 * Remembers the records that a user saw, so that a form overwrites that version and no newer one. A
 * list gives its records no ETags, so one of them is compared with the stored record before a
 * write.
 */
import type { ApiConnection } from './make-connection.ts'
import { RequestError } from './request-error.ts'

// biome-ignore lint/suspicious/noExplicitAny: react-admin and Refine leave the fields of records open
export type AnyRecord = any
type Fields = Readonly<Record<string, unknown>>
type ShownRecord = { readonly record: Fields; readonly etag: string | undefined }

const shownMax = 2000

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/**
 * Compares the fields that both have: a record may have been narrowed, and a form adds values of
 * its own.
 */
function isUnchanged(now: Fields, before: Fields): boolean {
  return Object.keys(before).every((name) => !Object.hasOwn(now, name) || isSame(now[name], before[name]))
}

/** React-admin and Refine expect the id in `id`; some resources here call it `_id`. */
export function withId(record: unknown): AnyRecord {
  const fields = record as Fields
  return fields.id === undefined && fields._id !== undefined ? { ...fields, id: fields._id } : record
}

/** The fields of a form that differ from the initial ones. */
export function changesOf(data: Fields, before: Fields | undefined): Fields {
  const changed = Object.entries(data).filter(([name, value]) => !before || !isSame(value, before[name]))
  return Object.fromEntries(changed)
}

export type RecordLocation = { readonly path: string; readonly id: string | number }

/** `query`: more parameters, such as `expand`. */
export type RecordReadOptions = { readonly query?: Fields | undefined; readonly signal?: AbortSignal | undefined }

export function makeEtagCache({ send }: ApiConnection) {
  const shown = new Map<string, ShownRecord>()
  const keyOf = ({ path, id }: RecordLocation) => `${path}/${id}`

  function note(location: RecordLocation, record: Fields, etag: string | undefined): void {
    const key = keyOf(location)
    shown.delete(key) // moves it to the end, the latest
    shown.set(key, { record, etag })
    for (const oldest of shown.keys()) {
      if (shown.size <= shownMax) break
      shown.delete(oldest)
    }
  }

  async function read(location: RecordLocation, { query, signal }: RecordReadOptions = {}): Promise<ShownRecord> {
    const { body, etag } = await send('GET', `${location.path}/{id}`, { path: { id: location.id }, query, signal })
    return { record: withId(body), etag }
  }

  return {
    note,
    async get(location: RecordLocation, options?: RecordReadOptions): Promise<AnyRecord> {
      const { record, etag } = await read(location, options)
      note(location, record, etag)
      return record
    },
    forget: (location: RecordLocation) => void shown.delete(keyOf(location)),
    /**
     * The version that a user saw: of `before`, or else of the record that was shown last.
     * Undefined for a record that was never shown. Throws `RequestError` (412) when it has changed
     * since.
     */
    async versionOf(location: RecordLocation, before?: Fields): Promise<string | undefined> {
      const last = shown.get(keyOf(location))
      const seen = before ?? last?.record
      if (seen === undefined) return undefined
      if (last?.etag !== undefined && isUnchanged(last.record, seen)) return last.etag
      const now = await read(location)
      if (isUnchanged(now.record, seen)) return now.etag
      throw new RequestError('The record has changed since it was read; read it again', {
        status: 412,
        code: 'precondition-failed',
      })
    },
  }
}
