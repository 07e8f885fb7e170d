/** Finds the resource that a word on the command line names. */

import type { Catalog, Resource } from '../resource/catalog.ts'
import { shownResources } from '../resource/made/shown-resources.ts'
import { UsageError } from './usage-error.ts'

/**
 * Accepts `order-items`, `orderItem` or `orderItems`, in any case. Throws `UsageError` that lists
 * the resources.
 */
export function findResource(catalog: Catalog, word: string): Resource {
  const wanted = word.toLowerCase()
  const resources = shownResources(catalog)
  // A plural may be the name of another resource. The spelling that the server prints comes first.
  const found =
    resources.find(({ slug }) => slug === wanted) ??
    resources.find(({ name, plural }) => [name.toLowerCase(), plural.toLowerCase()].includes(wanted))
  if (found) return found
  throw new UsageError(`unknown resource ${word}; there are ${resources.map(({ slug }) => slug).join(', ')}`)
}
