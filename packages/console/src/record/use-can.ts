/** The operations that the caller may do on this record: `expand=can`. */
import { useQuery } from '@tanstack/react-query'
import { client } from '../api/client.ts'
import { pathAt, type RecordPlace } from './record-place.ts'

export type Can = Readonly<Record<string, boolean>>

/** Undefined until it is known. Null where the server does not tell: the declaration decides. */
export function useCan(place: RecordPlace): Can | null | undefined {
  const { resource, id } = place
  const { data } = useQuery({
    queryKey: [resource.slug, 'can', resource.path, id],
    queryFn: async ({ signal }): Promise<Can | null> => {
      const query = { expand: 'can', fields: resource.idField }
      const answer = await client.send('GET', `/api/v1${pathAt(place)}`, { query, signal }).catch(() => null)
      if (!answer) return null
      const { body } = answer
      const { _can, can } = body as { readonly _can?: Can; readonly can?: Can }
      return _can ?? can ?? null
    },
  })
  return data
}
