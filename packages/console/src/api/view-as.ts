/** Takes the view of a user, for those who run the service. */
import { useQuery } from '@tanstack/react-query'
import type { ResourceDescription, ResourceSummary } from 'bindery-server/client'
import { client } from './client.ts'
import { resourceQuery } from './declarations.ts'
import { queries } from './queries.ts'
import { pageOf, type Row } from './rows.ts'
import { titleIn } from './titles.ts'
import { showView, type View } from './viewing.ts'

export type Viewable = { readonly id: string; readonly name: string; readonly role: string }

export async function viewAs({ id, name }: Viewable): Promise<void> {
  // The client sends no token to `/api/v1/auth`, where log-ins are.
  const { body } = await client.send('POST', '/auth/view-as', { body: { userId: id } })
  showView({ ...(body as Omit<View, 'name'>), name })
}

/** The user of a record; undefined for records of other resources. */
export function viewableOf(resource: ResourceDescription, record: Row): Viewable | undefined {
  const { users, idField } = resource
  if (!users) return undefined
  return { id: String(record[idField]), name: titleIn(resource, record), role: String(record[users.role]) }
}

const namesMax = 50

/** The first users, for the palette. The server refuses the view of those who run the service. */
export function useViewable(resources: readonly ResourceSummary[], isAsked: boolean): readonly Viewable[] {
  const users = resources.find((one) => one.users && one.path !== undefined && one.operations.includes('list'))
  const { data } = useQuery({
    queryKey: [users?.slug, 'viewable'],
    enabled: isAsked && users !== undefined,
    staleTime: 30_000,
    async queryFn({ signal }): Promise<readonly Viewable[]> {
      const resource = await queries.fetchQuery(resourceQuery((users as ResourceSummary).slug))
      const [{ body }, own] = await Promise.all([
        client.send('GET', `/api/v1${resource.path}`, { query: { limit: namesMax }, signal }),
        client.session(),
      ])
      const found = pageOf(body).data.flatMap((row) => viewableOf(resource, row) ?? [])
      return found.filter(({ role }) => role !== own?.role)
    },
  })
  return isAsked ? (data ?? []) : []
}
