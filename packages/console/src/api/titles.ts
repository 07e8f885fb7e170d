/** Titles of records that others name: those asked for at one time are one request a resource. */
import { useQuery } from '@tanstack/react-query'
import type { ResourceDescription } from 'bindery-server/client'
import { records } from './client.ts'
import { resourceQuery } from './declarations.ts'
import { queries } from './queries.ts'
import type { Row } from './rows.ts'

type Answer = (title: string | null) => void
type Waiting = Map<string, Answer[]>

/** Long enough for all rows that are drawn at once. */
const gatheringMs = 5
const fresh = 60_000
const waiting = new Map<string, Waiting>()

/** A user without a title has the name that is its alone. */
export function titleIn({ title, idField, users }: ResourceDescription, row: Row): string {
  return String(row[title] ?? (users && row[users.name]) ?? row[idField])
}

/** A record that is shown elsewhere need not be asked for. */
export function keepTitle(resource: ResourceDescription, row: Row): void {
  queries.setQueryData([resource.slug, 'title', String(row[resource.idField])], titleIn(resource, row))
}

/** No title for what the caller may not read. */
async function rowsOf(resource: ResourceDescription, ids: readonly string[]): Promise<readonly Row[]> {
  if (resource.path === undefined) return []
  return (await records.getMany(resource.path.slice(1), { ids })).data as readonly Row[]
}

async function answer(slug: string): Promise<void> {
  const asked: Waiting = waiting.get(slug) ?? new Map()
  waiting.delete(slug)
  const titles = new Map<string, string>()
  try {
    const resource = await queries.fetchQuery(resourceQuery(slug))
    for (const row of await rowsOf(resource, [...asked.keys()]))
      titles.set(String(row[resource.idField]), titleIn(resource, row))
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
  const { data } = useQuery({ queryKey: [slug, 'title', id], staleTime: fresh, queryFn: () => ask(slug, id) })
  return data ?? undefined
}
