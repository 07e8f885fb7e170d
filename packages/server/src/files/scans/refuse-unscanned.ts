/** The bytes of a file are for no caller until its scan has passed. */
import { ApiError } from '../../errors.ts'
import type { FileField } from '../../resource/fields/files/file-options.ts'
import type { StoredFile } from '../../resource/fields/files/stored-file.ts'

/** Throws `conflict` for a file that waits for its scan, and `not-found` for a refused one. */
export function refuseUnscanned({ scan }: Pick<StoredFile, 'scan'>, { limits }: FileField): void {
  if (scan === 'refused') throw new ApiError('not-found', 'The scan refused this file; its bytes are gone')
  // Without a scan in the declaration it would wait for ever.
  if (scan === 'waiting' && limits.scan)
    throw new ApiError('conflict', 'The file is not scanned yet; ask again in a moment')
}
