/** The declarations as far as the caller may use them: menus, lists and forms are made of them. */
import { useQuery } from '@tanstack/react-query'
import type { ResourceDescription, ResourceSummary } from 'bindery-server/client'
import { client } from './client.ts'

/** They change when the server starts with another declaration. */
const fresh = 30_000

export function useResources() {
  return useQuery({
    queryKey: ['_resources'],
    staleTime: fresh,
    async queryFn({ signal }): Promise<readonly ResourceSummary[]> {
      const { body } = await client.send('GET', '/api/v1/_resources', { signal })
      return (body as { resources: readonly ResourceSummary[] }).resources
    },
  })
}

export function useResource(slug: string) {
  return useQuery({
    queryKey: ['_resources', slug],
    staleTime: fresh,
    async queryFn({ signal }): Promise<ResourceDescription> {
      const { body } = await client.send('GET', `/api/v1/_resources/${encodeURIComponent(slug)}`, { signal })
      return body as ResourceDescription
    },
  })
}
