/** New records in batches, and first tried: the server names each record that it would refuse. */
import { RequestError, type ResourceDescription } from 'bindery-server/client'
import { t } from '../words/words.ts'
import { client } from './client.ts'
import { forgetRows, pageOf, type Row } from './rows.ts'

const operationsMax = 100
/** More errors than a person corrects at once. */
const errorsMax = 50

/** `path`: where it is not that of the resource. */
type Sent = { readonly line: number; readonly values: Row; readonly path?: string }
export type LineError = { readonly line: number; readonly error: string }
export type Outcome = {
  readonly good: readonly Sent[]
  readonly errors: readonly LineError[]
  /** After so many errors that the lines from this one on were not tried. */
  readonly stoppedAt?: number
}

/** `operations[3]: price is required; nothing was stored` → `[3, 'price is required']` */
function refusedIn(error: unknown): readonly [number, string] {
  const [, at, said] = /^operations\[(\d+)\][^:]*: (.*?)(?:; nothing was stored)?$/.exec((error as Error).message) ?? []
  if (!(error instanceof RequestError) || at === undefined) throw error
  return [Number(at), said ?? '']
}

function send({ path }: ResourceDescription, sent: readonly Sent[], isTry: boolean) {
  const operations = sent.map((one) => ({ method: 'POST', path: one.path ?? path, body: one.values }))
  const headers = isTry ? { Prefer: 'dry-run' } : { Prefer: 'return=minimal' }
  return client.send('POST', '/api/v1/batch', { body: { operations }, headers })
}

/** Nothing is stored. A refused line is left out, and the others are tried again. */
export async function tryRecords(
  resource: ResourceDescription,
  records: readonly Sent[],
  onDone: (done: number, all: number) => void,
): Promise<Outcome> {
  const good: Sent[] = []
  const errors: LineError[] = []
  for (let at = 0; at < records.length; at += operationsMax) {
    let part = records.slice(at, at + operationsMax)
    onDone(at, records.length)
    while (part.length > 0) {
      if (errors.length >= errorsMax) return { good, errors, ...(part[0] && { stoppedAt: part[0].line }) }
      try {
        await send(resource, part, true)
        good.push(...part)
        break
      } catch (error) {
        const [index, said] = refusedIn(error)
        errors.push({ line: part[index]?.line ?? 0, error: said })
        part = part.toSpliced(index, 1)
      }
    }
  }
  return { good, errors }
}

/** Each hundred is one transaction. */
export async function makeRecords(
  resource: ResourceDescription,
  records: readonly Sent[],
  onDone: (done: number, all: number) => void,
): Promise<void> {
  try {
    for (let at = 0; at < records.length; at += operationsMax) {
      await send(resource, records.slice(at, at + operationsMax), false)
      onDone(Math.min(at + operationsMax, records.length), records.length)
    }
  } finally {
    forgetRows(resource)
  }
}

/** The paths of new records, each below another record above: `/products/{id}/reviews`. */
export async function pathsBelow(
  { resource, path }: NonNullable<ResourceDescription['madeBelow']>,
  limit: number,
): Promise<readonly string[]> {
  const above = (await client.send('GET', `/api/v1/_resources/${resource}`)).body as ResourceDescription
  const page = pageOf((await client.send('GET', `/api/v1${above.path}`, { query: { limit } })).body)
  if (page.data.length === 0) throw new Error(t('noneAbove', { plural: above.plural }))
  return page.data.map((row) => `${above.path}/${encodeURIComponent(String(row[above.idField]))}/${path}`)
}

/** A record for each reference that a new record must have. */
export async function requiredReferences({ fields }: ResourceDescription): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const { name, reference, required } of fields) {
    if (!reference || !required.includes('create')) continue
    const other = (await client.send('GET', `/api/v1/_resources/${reference.resource}`)).body as ResourceDescription
    const page = pageOf((await client.send('GET', `/api/v1${other.path}`, { query: { limit: 1 } })).body)
    const id = page.data[0]?.[other.idField]
    if (id !== undefined) found[name] = String(id)
  }
  return found
}
