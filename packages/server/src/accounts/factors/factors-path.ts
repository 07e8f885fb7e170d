/** The path of second factors, below which they are listed and enrolled. */
import { apiPrefix } from '../../endpoint/api-paths.ts'
import type { Resource } from '../../resource/catalog.ts'

export function factorsPath({ path, slug }: Resource): string {
  return `${apiPrefix}${path ?? `/${slug}`}`
}
