/** The path of second factors, below which they are listed and enrolled. */

import type { Resource } from '../../resource/catalog.ts'
import { apiPrefix } from '../../resource/words/api-prefix.ts'

export function factorsPath({ path, slug }: Resource): string {
  return `${apiPrefix}${path ?? `/${slug}`}`
}
