/**
 * The routes `/openapi.json`, the document with the address that the caller uses, and `/errors`,
 * the page that problems link to.
 */

import { defineRoute, type RouteGroup } from '../endpoint/define-route.ts'
import { documentedResponse, mediaBody, notModifiedResponse } from '../endpoint/documented-response.ts'
import { openAccess } from '../endpoint/route-access.ts'
import { freeObject, openPageRoute, pageListing, systemTag } from '../http/engine-route-texts.ts'
import { etagOfBytes, unlessKnown } from '../http/messages/conditional.ts'
import { bytesOf, type HttpRequest, type HttpResponse, jsonType } from '../http/messages/exchange.ts'
import { problemsPath } from '../http/messages/problem.ts'
import { makeProblemPage } from '../http/pages/problem-page.ts'
import { atAddress, makeByAddress } from './server-address.ts'

type OpenapiDocument = { readonly body: Buffer; readonly etag: string }
export type DocumentRouteDeps = {
  readonly documentAt: (request: HttpRequest) => OpenapiDocument
  readonly problems: HttpResponse
}

/** `make`: makes the document at the first request. */
export function documentNeeds(make: () => object): DocumentRouteDeps {
  let text: string | undefined
  return {
    problems: makeProblemPage(),
    documentAt: makeByAddress((address) => {
      text ??= JSON.stringify(make())
      const body = bytesOf(atAddress(text, address))
      return { body, etag: etagOfBytes(body) }
    }),
  }
}

const problems = defineRoute({
  method: 'GET',
  path: problemsPath,
  describe: { line: { operation: 'errors', who: 'anyone', answers: '200 a page: what each code means' } },
  ...openPageRoute,
  output: { 200: pageListing },
  run: (_, { problems }: DocumentRouteDeps) => problems,
})

const document = defineRoute({
  method: 'GET',
  path: '/openapi.json',
  describe: {
    id: 'getOpenapi',
    notForModels: true,
    tag: systemTag,
    summary: 'Get this document',
    about: 'OpenAPI 3.1, made from the declarations.',
    line: { operation: 'document', who: 'anyone', answers: '200 OpenAPI' },
  },
  rule: openAccess,
  isRaw: true,
  output: {
    200: documentedResponse('The document.', {
      headers: ['ETag'],
      body: mediaBody({ 'application/json': { schema: freeObject('An OpenAPI 3.1 document.') } }),
    }),
    304: notModifiedResponse,
  },
  errors: ['bad-request', 'unavailable'],
  run({ request }, { documentAt }: DocumentRouteDeps) {
    const { body, etag } = documentAt(request)
    const headers = { 'content-type': jsonType, 'cache-control': 'no-cache', etag }
    return unlessKnown(request, { status: 200, headers, body })
  },
})

export function documentRoutes(): RouteGroup<DocumentRouteDeps> {
  return { routes: [problems, document] }
}
