/** The views of lists that people share, where the application declares a resource for them. */
import { useQuery } from '@tanstack/react-query'
import type { ResourceDescription } from 'bindery-server/client'
import { client } from './client.ts'
import { resourceQuery, useResources } from './declarations.ts'
import { queries } from './queries.ts'
import { createRecord, deleteRecord } from './records.ts'
import { askTitles } from './row-titles.ts'
import { nextOf, pageOf, pagingOf, type Row, type RowPage } from './rows.ts'

export type SharedView = Row & {
  readonly id: string
  readonly name: string
  /** The query of the list; `fields` has its columns. */
  readonly query: string
  readonly userId: string | null
  readonly _can?: Readonly<Record<string, boolean>>
  readonly can?: Readonly<Record<string, boolean>>
}

/** Undefined where there is none that the caller may use. */
export function useViewsHolder(): ResourceDescription | undefined {
  const { data: resources = [] } = useResources()
  const slug = resources.find(({ holds }) => holds === 'views')?.slug
  return useQuery({ ...resourceQuery(slug ?? ''), enabled: slug !== undefined }).data
}

/** The slug of the resource whose records share them, to name the sharer. */
export function sharersOf({ fields }: ResourceDescription): string | undefined {
  return fields.find(({ name }) => name === 'userId')?.reference?.resource
}

/** All views of a list, page after page: they are few. */
async function readViews(holder: ResourceDescription, slug: string): Promise<readonly SharedView[]> {
  const views: Row[] = []
  let cursor: string | undefined = ''
  for (let pages = 1; cursor !== undefined; pages += 1) {
    const asked = { resource: slug, sort: 'name', ...pagingOf(holder, cursor) }
    const read = async (more: object): Promise<RowPage> =>
      pageOf((await client.send('GET', `/api/v1${holder.path}`, { query: { ...asked, ...more } })).body)
    const page = await read({ expand: 'can' })
    askTitles(holder, page.data, async (titles) => (await read(titles)).data)
    views.push(...page.data)
    cursor = nextOf(holder, page, pages)
  }
  return views as SharedView[]
}

const keyOf = ({ slug }: ResourceDescription) => [slug, 'shared']

export function useSharedViews(holder: ResourceDescription, slug: string) {
  return useQuery({ queryKey: [...keyOf(holder), slug], queryFn: () => readViews(holder, slug) })
}

function forget(holder: ResourceDescription): Promise<void> {
  return queries.invalidateQueries({ queryKey: keyOf(holder) })
}

/** Throws the refusal of the server, such as for a name that there is already. */
export async function shareView(
  holder: ResourceDescription,
  view: { readonly resource: string; readonly name: string; readonly query: string },
): Promise<void> {
  await createRecord(holder, view)
  await forget(holder)
}

export async function renameShared(holder: ResourceDescription, { id }: SharedView, name: string): Promise<void> {
  await client.send('PATCH', `/api/v1${holder.path}/{id}`, { path: { id }, body: { name } })
  await forget(holder)
}

export async function deleteShared(holder: ResourceDescription, view: SharedView): Promise<void> {
  await deleteRecord(holder, view)
  await forget(holder)
}
