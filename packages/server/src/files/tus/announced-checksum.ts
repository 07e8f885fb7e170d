/** `Upload-Checksum` of a piece (tus 1.0.0, checksum): the piece is kept if it is right. */
import { createHash } from 'node:crypto'
import { ApiError } from '../../errors.ts'

export const checksumAlgorithms = ['sha1', 'sha256', 'sha512'] as const

type AnnouncedChecksum = { readonly algorithm: string; readonly digest: string }

/** `sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=`. Throws `bad-request`. */
export function announcedChecksum(header: string | undefined): AnnouncedChecksum | undefined {
  if (header === undefined) return undefined
  const [algorithm = '', digest = ''] = header.split(' ')
  if ((checksumAlgorithms as readonly string[]).includes(algorithm) && digest !== '') return { algorithm, digest }
  const known = checksumAlgorithms.join(', ')
  throw new ApiError(
    'bad-request',
    `Upload-Checksum must be an algorithm of ${known}, a space, and the digest in Base64`,
  )
}

/** The same bytes. They throw `checksum-mismatch` at their end. */
export async function* withChecksum(
  source: AsyncIterable<Buffer>,
  announced: AnnouncedChecksum | undefined,
): AsyncGenerator<Buffer> {
  if (!announced) return yield* source
  const hash = createHash(announced.algorithm)
  for await (const chunk of source) {
    hash.update(chunk)
    yield chunk
  }
  if (hash.digest('base64') !== announced.digest)
    throw new ApiError('checksum-mismatch', 'The bytes are not those of Upload-Checksum; send them again')
}
