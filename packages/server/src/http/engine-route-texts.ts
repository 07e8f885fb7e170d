/**
 * The parts that the server's own routes share: the heading in the documents, routes of pages, and
 * routes of the files of pages.
 */

import { type DefinedRoute, defineRoute, type RouteTag } from '../endpoint/define-route.ts'
import { documentedResponse, mediaBody } from '../endpoint/documented-response.ts'
import { openAccess } from '../endpoint/route-access.ts'
import { ApiError } from '../errors.ts'
import { text } from '../resource/fields/text.ts'
import type { PageFiles } from './pages/page-files.ts'

export const systemTag: RouteTag = { name: 'System', description: 'Health, and this document.' }

/**
 * An object with any members. Type generators need this, or they make an object without members.
 */
export function freeObject(description: string) {
  return { type: 'object', additionalProperties: true, description } as const
}

export const pageListing = documentedResponse('A page.', {
  body: mediaBody({ 'text/html': { schema: { type: 'string' } } }),
})

/** Open to every caller; the request is not checked. */
export const openPageRoute = { rule: openAccess, isRaw: true } as const

type Files<N> = { readonly path: string; readonly partOf: string; filesOf(needs: N): Pick<PageFiles, 'answer'> }

/** The files of a page, below a path. */
export function filesAt<N>({ path, partOf, filesOf }: Files<N>): DefinedRoute<N> {
  return defineRoute({
    method: 'GET',
    path: `${path}/:file`,
    describe: { partOf },
    ...openPageRoute,
    parameters: { file: text({ description: 'The name of the file.' }) },
    output: { 200: documentedResponse('The file.', { body: mediaBody({ '*/*': { schema: {} } }) }) },
    errors: ['not-found'],
    run({ parameters }, needs: N) {
      const file = filesOf(needs).answer(parameters.file)
      if (!file) throw new ApiError('not-found', 'Not found')
      return file
    },
  })
}
