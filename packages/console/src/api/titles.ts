/** Titles of records that others name: those asked for at one time are one request a resource. */
import { useQuery } from '@tanstack/react-query'
import type { ResourceDescription } from 'bindery-server/client'
import { client } from './client.ts'
import { resourceQuery, resourcesQuery } from './declarations.ts'
import { queries } from './queries.ts'
import { titleQuery } from './row-titles.ts'
import { pageOf, pagingOf, type Row } from './rows.ts'

type Answer = (title: string | null) => void
type Waiting = Map<string, Answer[]>

/** Long enough for all rows that are drawn at once. */
const gatheringMs = 5
const waiting = new Map<string, Waiting>()

/** A text of spaces and signs without width is no name: nothing could be pressed. */
export function isVisible(value: unknown): boolean {
  return value !== null && value !== undefined && /[^\s\p{C}\p{DI}]/u.test(String(value))
}

/** A user without a title has the name that is its alone. */
export function titleIn({ title, idField, users }: ResourceDescription, row: Row): string {
  return String([row[title], users && row[users.name]].find(isVisible) ?? row[idField])
}

/** A record that is shown elsewhere need not be asked for. */
export function keepTitle(resource: ResourceDescription, row: Row): void {
  queries.setQueryData([resource.slug, 'title', String(row[resource.idField])], titleIn(resource, row))
}

const idsMax = 100

type Asking = { readonly ids: readonly string[]; readonly headers?: Readonly<Record<string, string>> }

/**
 * Id → title, of the records that the caller may list. Nothing is asked where there is no list for
 * the caller: to try record after record would be a refusal for each.
 */
export async function readTitles(
  resource: ResourceDescription,
  { ids, headers }: Asking,
): Promise<Map<string, string>> {
  const { path, idField, title, fields, operations } = resource
  const titles = new Map<string, string>()
  const isFound = fields.find(({ name }) => name === idField)?.operators.includes('in') === true
  if (path === undefined || !isFound || !operations.includes('list') || title === idField) return titles
  for (let at = 0; at < ids.length; at += idsMax) {
    const asked = { [`${idField}[in]`]: ids.slice(at, at + idsMax), fields: title, ...pagingOf(resource, '') }
    const { body } = await client.send('GET', `/api/v1${path}`, { query: asked, ...(headers && { headers }) })
    for (const row of pageOf(body).data) titles.set(String(row[idField]), titleIn(resource, row))
  }
  return titles
}

async function answer(slug: string): Promise<void> {
  const asked: Waiting = waiting.get(slug) ?? new Map()
  waiting.delete(slug)
  let titles = new Map<string, string>()
  try {
    // A resource that the caller may not use has no description to ask for.
    const { resources } = await queries.fetchQuery(resourcesQuery)
    if (resources.some((one) => one.slug === slug))
      titles = await readTitles(await queries.fetchQuery(resourceQuery(slug)), { ids: [...asked.keys()] })
  } catch {
    // The id is shown in place of the title.
  }
  for (const [id, answers] of asked) for (const tell of answers) tell(titles.get(id) ?? null)
}

function ask(slug: string, id: string): Promise<string | null> {
  if (!waiting.has(slug)) {
    waiting.set(slug, new Map())
    setTimeout(() => void answer(slug), gatheringMs)
  }
  const asked = waiting.get(slug) as Waiting
  return new Promise((tell) => void asked.set(id, [...(asked.get(id) ?? []), tell]))
}

/** Undefined until it is known, and where there is none for this caller. */
export function useTitle(slug: string, id: string): string | undefined {
  return useQuery(titleQuery(slug, id, () => ask(slug, id))).data ?? undefined
}
