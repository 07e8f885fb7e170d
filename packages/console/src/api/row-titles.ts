/**
 * Titles of the records that rows name: the same rows are read once more, with these records
 * expanded by their titles alone. So it is one request a page, whatever can be filtered, and the
 * rows do not wait for it. A record that the caller may not read has no title.
 */
import type { ResourceDescription } from 'bindery-server/client'
import { resourceQuery, resourcesQuery } from './declarations.ts'
import { queries } from './queries.ts'
import type { Row } from './rows.ts'

/** A title is asked for anew after a minute. */
const fresh = 60_000

export function titleQuery(slug: string, id: string, queryFn: () => Promise<string | null>) {
  return { queryKey: [slug, 'title', id], staleTime: fresh, queryFn }
}

/** The limit of the server for relations of a request. */
const relationsMax = 20

type Named = { readonly field: string; readonly relation: string; readonly slug: string }
type Titled = Named & Pick<ResourceDescription, 'title'>
type Read = (query: Readonly<Record<string, string>>) => Promise<readonly Row[]>

function referencesIn({ fields, relations }: ResourceDescription, [first = {}]: readonly Row[]): readonly Named[] {
  const found = fields.flatMap(({ name: field, reference }): Named[] => {
    const relation = relations.find(({ by, kind }) => by === field && kind === 'reference')
    return reference && relation && field in first ? [{ field, relation: relation.name, slug: reference.resource }] : []
  })
  return found.slice(0, relationsMax)
}

const keyOf = (slug: string, id: unknown) => `${slug}/${id}`

/** A resource that the caller may not use has no description, and no titles. */
async function withTitles(named: readonly Named[]): Promise<readonly Titled[]> {
  const { resources } = await queries.fetchQuery(resourcesQuery)
  const known = named.filter(({ slug }) => resources.some((one) => one.slug === slug && one.operations.includes('get')))
  const titled = known.map(async (one) => {
    const { title, idField } = await queries.fetchQuery(resourceQuery(one.slug))
    return title === idField ? [] : [{ ...one, title }]
  })
  return (await Promise.all(titled)).flat()
}

async function readTitles(named: readonly Named[], read: Read): Promise<ReadonlyMap<string, string>> {
  const titles = new Map<string, string>()
  const titled = await withTitles(named)
  if (titled.length === 0) return titles
  const rows = await read({
    fields: titled.map(({ field }) => field).join(','),
    expand: titled.map(({ relation, title }) => `${relation}(fields:${title})`).join(','),
  })
  for (const row of rows)
    for (const { field, relation, slug, title } of titled) {
      const text = (row[relation] as Row | null | undefined)?.[title]
      if (text != null) titles.set(keyOf(slug, row[field]), String(text))
    }
  return titles
}

/** `read` sends the request of the rows with this query in place of its `fields`. */
export function askTitles(resource: ResourceDescription, rows: readonly Row[], read: Read): void {
  const named = referencesIn(resource, rows)
  const wanted = new Map(
    named.flatMap(({ field, slug }) =>
      rows.flatMap((row) => (row[field] == null ? [] : [[keyOf(slug, row[field]), { slug, id: String(row[field]) }]])),
    ) as [string, { readonly slug: string; readonly id: string }][],
  )
  let reading: Promise<ReadonlyMap<string, string>> | undefined
  for (const [key, { slug, id }] of wanted)
    void queries.prefetchQuery(
      titleQuery(slug, id, async () => {
        reading ??= readTitles(named, read).catch(() => new Map())
        return (await reading).get(key) ?? null
      }),
    )
}
