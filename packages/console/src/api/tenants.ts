/** The tenants that the caller may choose, with their titles. */
import { useQuery } from '@tanstack/react-query'
import type { ResourceDescription, TenancyDescription } from 'bindery-server/client'
import { client } from './client.ts'
import { namesInLanguage } from './declarations.ts'
import { readTitles } from './titles.ts'
import { ofAllTenants } from './viewing.ts'

export type TenantChoice = {
  /** `club:ID`, as the address and the header have it. */
  readonly name: string
  readonly title: string
}

export type TenantKind = Pick<TenancyDescription, 'name' | 'resource' | 'isAbove'> & {
  readonly label: string
  readonly plural: string
  readonly own: readonly TenantChoice[]
}

const fresh = 30_000

async function ask(path: string): Promise<unknown> {
  return (await client.send('GET', `/api/v1${path}`, { headers: ofAllTenants })).body
}

async function kindOf({ name, resource: slug, isAbove, memberships }: TenancyDescription): Promise<TenantKind> {
  const resource = namesInLanguage((await ask(`/_resources/${slug}`)) as ResourceDescription)
  const ids = memberships.map(({ id }) => String(id))
  // A tenant whose title the caller may not read has its id.
  const titles = await readTitles(resource, { ids, headers: ofAllTenants })
  const own = ids.map((id) => ({ name: `${name}:${id}`, title: titles.get(id) ?? id }))
  const { label, plural } = resource
  return { name, resource: slug, isAbove, label, plural, own: own.toSorted((a, b) => a.title.localeCompare(b.title)) }
}

export function useTenantKinds() {
  return useQuery({
    queryKey: ['_tenancies'],
    staleTime: fresh,
    async queryFn(): Promise<readonly TenantKind[]> {
      const { tenancies = [] } = (await ask('/_resources')) as { tenancies?: readonly TenancyDescription[] }
      return Promise.all(tenancies.map(kindOf))
    },
  })
}

/** `club:ID` where the caller may work in the tenant of this record. */
export function useTenantName({ slug, tenant }: Pick<ResourceDescription, 'slug' | 'tenant'>, id: string) {
  const { data: kinds = [] } = useTenantKinds()
  const kind = tenant === 'is' ? kinds.find(({ resource }) => resource === slug) : undefined
  const name = kind && `${kind.name}:${id}`
  return kind?.isAbove || kind?.own.some((one) => one.name === name) ? name : undefined
}
