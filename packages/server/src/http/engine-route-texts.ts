/** The common words of the server's own routes: their heading, pages, and the files of pages. */

import { type DefinedRoute, defineRoute, type RouteTag } from '../endpoint/define-route.ts'
import { documentedResponse, mediaBody } from '../endpoint/documented-response.ts'
import { openAccess } from '../endpoint/route-access.ts'
import { ApiError } from '../errors.ts'
import { text } from '../resource/fields/text.ts'
import type { PageFiles } from './pages/page-files.ts'

export const systemTag: RouteTag = { name: 'System', description: 'Health, and this document.' }

/**
 * Every member of it is free. Generators of types make an object without members of one that says
 * nothing of them.
 */
export function freeObject(description: string) {
  return { type: 'object', additionalProperties: true, description } as const
}

export const pageListing = documentedResponse('A page.', {
  body: mediaBody({ 'text/html': { schema: { type: 'string' } } }),
})

/** Nobody has to be known, and the request is not looked at. */
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
