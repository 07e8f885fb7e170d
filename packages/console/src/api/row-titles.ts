/**
 * Titles of the records that rows name: the same rows are read once more, with these records
 * expanded by their titles alone. So it is one request a page, whatever can be filtered, and the
 * rows do not wait for it. A record that the caller may not read has no title.
 */
import type { ResourceDescription } from 'bindery-server/client'
import { resourceQuery, resourcesQuery } from './declarations.ts'
import { queries } from './queries.ts'
import { isLinks, linkedIds } from './requested-fields.ts'
import type { Row } from './rows.ts'

/** A title is asked for anew after a minute. */
const fresh = 60_000

export function titleQuery(slug: string, id: string, queryFn: () => Promise<string | null>) {
  return { queryKey: [slug, 'title', id], staleTime: fresh, queryFn }
}

/** The limit of the server for relations of a request. */
const relationsMax = 20

type Named = {
  readonly field: string
  readonly relation: string
  readonly slug: string
  /** Its value is a list of links. */
  readonly isMany: boolean
}
type Titled = Named & Pick<ResourceDescription, 'title' | 'idField'>
type Read = (query: Readonly<Record<string, string>>) => Promise<readonly Row[]>

const relationKinds: readonly string[] = ['reference', 'links']

function referencesIn({ fields, relations }: ResourceDescription, [first = {}]: readonly Row[]): readonly Named[] {
  const found = fields.flatMap((one): Named[] => {
    const { name: field, reference } = one
    const relation = relations.find(({ by, kind }) => by === field && relationKinds.includes(kind))
    if (!reference || !relation || !(field in first)) return []
    return [{ field, relation: relation.name, slug: reference.resource, isMany: isLinks(one) }]
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
    return title === idField ? [] : [{ ...one, title, idField }]
  })
  return (await Promise.all(titled)).flat()
}

/** The first of the links: the server shows so many of each record. */
const linksShown = 20

function idsIn({ field, isMany }: Named, row: Row): readonly string[] {
  if (isMany) return linkedIds(row[field]).slice(0, linksShown)
  return row[field] == null ? [] : [String(row[field])]
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
    for (const { field, relation, slug, title, idField, isMany } of titled) {
      const related = (isMany ? row[relation] : [row[relation]]) as readonly (Row | null | undefined)[] | undefined
      for (const one of related ?? [])
        if (one?.[title] != null) titles.set(keyOf(slug, isMany ? one[idField] : row[field]), String(one[title]))
    }
  return titles
}

/** `read` sends the request of the rows with this query in place of its `fields`. */
export function askTitles(resource: ResourceDescription, rows: readonly Row[], read: Read): void {
  const named = referencesIn(resource, rows)
  const wanted = new Map(
    named.flatMap((one) =>
      rows.flatMap((row) => idsIn(one, row).map((id) => [keyOf(one.slug, id), { slug: one.slug, id }] as const)),
    ),
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
