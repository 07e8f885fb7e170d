/** `/` and `/docs`: pages for people. A program that asks at `/` gets the same as JSON. */

import type { ServedEngine } from '../accounts/served-engine.ts'
import { ApiError } from '../errors.ts'
import { type HttpRequest, type HttpResponse, json } from '../http/messages/exchange.ts'
import { answerPage, checkPageAccepted, editorPolicy, policyOf, wantsPage } from '../http/pages/page-answer.ts'
import { makePageFiles, type PageFiles, styleType, writtenFile } from '../http/pages/page-files.ts'
import type { HttpRoute } from '../http/server.ts'
import { makeReferenceFiles, referenceBody, referenceFilesPath } from './api-reference.ts'
import { logInFormOf } from './log-in-form.ts'
import { type Links, makeOverview, type Overview } from './overview.ts'
import { welcomeStyle } from './page-style.ts'
import { welcomeBody } from './welcome.ts'

const welcomeFilesPath = '/assets'
const welcomePolicy = policyOf({ 'style-src': "'self'", 'img-src': 'data:' })

/** What the caller calls this server, for lines to copy: a Host that is no plain name is not repeated. */
function originOf({ protocol, headers }: HttpRequest): string {
  const host = headers.host ?? ''
  return /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i.test(host) ? `${protocol}://${host}` : 'http://localhost:3000'
}

/** The index for programs: paths are relative to this server. */
function indexOf({ name, version, api, links, resources, login }: Overview): HttpResponse {
  const all = { ...links, ...(login && { login: login.path }) }
  const offered = resources.map(({ name, path, operations }) => ({ name, path, operations }))
  return json(
    200,
    { name, version, api, links: all, resources: offered },
    { 'cache-control': 'no-cache', vary: 'Accept' },
  )
}

export function filesRoute(path: string, files: PageFiles): HttpRoute {
  return {
    methods: ['GET'],
    path: `${path}/:file`,
    async answer({ parameters }) {
      const file = files.answer(parameters.file ?? '')
      if (!file) throw new ApiError('not-found', 'Not found')
      return file
    },
  }
}

export function makePageRoutes(engine: ServedEngine, version: string): HttpRoute[] {
  const links: Links = {
    docs: '/docs',
    graphql: '/graphql',
    openapi: '/openapi.json',
    health: '/livez',
    readiness: '/readyz',
  }
  let overview: Overview | undefined
  const overviewOf = () => {
    overview ??= makeOverview(engine, { version, links })
    return overview
  }
  const welcomeFiles = makePageFiles(welcomeFilesPath, { 'welcome.css': writtenFile(styleType, welcomeStyle) })
  const referenceFiles = makeReferenceFiles()
  return [
    {
      methods: ['GET'],
      path: '/',
      async answer(request) {
        if (!wantsPage(request)) return indexOf(overviewOf())
        const body = welcomeBody(overviewOf(), originOf(request))
        return answerPage({ title: 'Bindery', files: welcomeFiles.addresses(), body, policy: welcomePolicy })
      },
    },
    {
      methods: ['GET'],
      path: '/docs',
      async answer({ headers }) {
        checkPageAccepted(headers)
        const body = referenceBody(logInFormOf(engine))
        const files = referenceFiles.addresses()
        return answerPage({ title: 'API reference', files, body, policy: editorPolicy })
      },
    },
    filesRoute(welcomeFilesPath, welcomeFiles),
    filesRoute(referenceFilesPath, referenceFiles),
  ]
}
