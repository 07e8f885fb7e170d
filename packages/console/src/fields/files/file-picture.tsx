/**
 * A picture of a file. The page has no address that shows one: its token is no part of an address.
 * So the bytes come by a request, and are shown as data.
 */
import { useQuery } from '@tanstack/react-query'
import { client } from '../../api/client.ts'
import type { KindField } from '../field-kind.ts'
import { dataOf } from './file-bytes.ts'
import { type PictureSize, pictureAddress, type ShownFile } from './shown-file.ts'

type PictureProps = { readonly field: KindField; readonly file: ShownFile; readonly size: PictureSize }

function usePicture(address: string | undefined, { sha256 }: ShownFile) {
  return useQuery({
    queryKey: ['picture', address, sha256],
    enabled: address !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const { body } = await client.send('GET', address ?? '', { parseAs: 'blob', signal })
      return dataOf(body as Blob)
    },
  })
}

/** Its name says what it is, so the picture has no text of its own. */
export function FilePicture({ field, file, size }: PictureProps) {
  const address = pictureAddress(field, file, size)
  const { data } = usePicture(address, file)
  if (address === undefined) return null
  return data === undefined ? (
    <span className={`picture ${size}`} />
  ) : (
    <img className={`picture ${size}`} src={data} alt="" />
  )
}
