/**
 * `/openapi.json`: the document at the address that the caller uses; and `/errors`, the page at which its problems point.
 */

import { defineRoute, type Subject } from '../endpoint/define-route.ts'
import { open } from '../endpoint/door.ts'
import { answer, media, notModified } from '../endpoint/route-answer.ts'
import { etagOfBytes, unlessKnown } from '../http/messages/conditional.ts'
import { bytesOf, type HttpRequest, type HttpResponse, jsonType } from '../http/messages/exchange.ts'
import { problemsPath } from '../http/messages/problem.ts'
import { freeObject, openPage, page, systemTag } from '../http/own-words.ts'
import { makeProblemPage } from '../http/pages/problem-page.ts'
import { atAddress, makeByAddress } from './server-address.ts'

type Document = { readonly body: Buffer; readonly etag: string }
export type DocumentNeeds = { readonly documentAt: (request: HttpRequest) => Document; readonly problems: HttpResponse }

/** `make`: the document, which is made when it is asked for. */
export function documentNeeds(make: () => object): DocumentNeeds {
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
  ...openPage,
  output: { 200: page },
  run: (_, { problems }: DocumentNeeds) => problems,
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
  rule: open,
  isRaw: true,
  output: {
    200: answer('The document.', {
      headers: ['ETag'],
      body: media({ 'application/json': { schema: freeObject('An OpenAPI 3.1 document.') } }),
    }),
    304: notModified,
  },
  errors: ['bad-request', 'unavailable'],
  run({ request }, { documentAt }: DocumentNeeds) {
    const { body, etag } = documentAt(request)
    const headers = { 'content-type': jsonType, 'cache-control': 'no-cache', etag }
    return unlessKnown(request, { status: 200, headers, body })
  },
})

export function documentRoutes(): Subject<DocumentNeeds> {
  return { routes: [problems, document] }
}
