/** The 404 for a record that does not exist for the caller, in the words of the declaration. */
import { ApiError } from '../errors.ts'
import type { Resource } from '../resource/catalog.ts'
import type { CrudKind } from '../resource/operation-kind.ts'

export function notFound(resource: Resource, kind: string): ApiError {
  const sentence = resource.messages.notFound?.[kind as CrudKind]
  return new ApiError('not-found', sentence ?? `${resource.label} not found`)
}
