/** The routes `/` and `/docs`: pages for people. A program gets the same data as JSON at `/`. */

import { defineRoute, type RouteGroup } from '../endpoint/define-route.ts'
import { filesAt, openPageRoute, pageListing } from '../http/engine-route-texts.ts'
import { type HttpRequest, type HttpResponse, json } from '../http/messages/exchange.ts'
import { answerPage, checkPageAccepted, editorPolicy, policyOf, wantsPage } from '../http/pages/html-page.ts'
import { makePageFiles, type PageFiles, styleType, writtenFile } from '../http/pages/page-files.ts'
import type { BarForm } from '../http/pages/page-frame.ts'
import type { Engine } from '../perform/engine.ts'
import { makeReferenceFiles, referenceBody, referenceFilesPath } from './api-reference.ts'
import { type LinkTable, makeOverview, type Overview } from './overview.ts'
import { welcomeStyle } from './page-style.ts'
import { welcomeBody } from './welcome.ts'

const welcomeFilesPath = '/assets'
const welcomePolicy = policyOf({ 'style-src': "'self'", 'img-src': 'data:' })

/**
 * The address of this server as the caller sees it, for command lines to copy. A Host that is not a
 * plain name is not repeated.
 */
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

const links: LinkTable = {
  docs: '/docs',
  graphql: '/graphql',
  openapi: '/openapi.json',
  health: '/livez',
  readiness: '/readyz',
}

export type PageRouteDeps = {
  overview(): Overview
  /** The HTML for the navigation bar of the reference. */
  readonly barForm: string
  readonly welcomeFiles: PageFiles
  readonly referenceFiles: PageFiles
}

export function pageNeeds(engine: Engine, version: string, form: BarForm): PageRouteDeps {
  let overview: Overview | undefined
  return {
    overview() {
      overview ??= makeOverview(engine, { version, links })
      return overview
    },
    barForm: form.body,
    welcomeFiles: makePageFiles(welcomeFilesPath, { 'welcome.css': writtenFile(styleType, welcomeStyle) }),
    referenceFiles: makeReferenceFiles(form.script),
  }
}

const index = defineRoute({
  method: 'GET',
  path: '/',
  describe: { line: { operation: 'index', who: 'anyone', answers: '200 links; a page in a browser' } },
  ...openPageRoute,
  output: { 200: pageListing },
  run({ request }, { overview, welcomeFiles }: PageRouteDeps) {
    if (!wantsPage(request)) return indexOf(overview())
    const body = welcomeBody(overview(), originOf(request))
    return answerPage({ title: 'Bindery', files: welcomeFiles.addresses(), body, policy: welcomePolicy })
  },
})

const reference = defineRoute({
  method: 'GET',
  path: '/docs',
  describe: { line: { operation: 'reference', who: 'anyone', answers: '200 a page' } },
  ...openPageRoute,
  output: { 200: pageListing },
  run({ request: { headers } }, { barForm, referenceFiles }: PageRouteDeps) {
    checkPageAccepted(headers)
    const body = referenceBody(barForm)
    return answerPage({ title: 'API reference', files: referenceFiles.addresses(), body, policy: editorPolicy })
  },
})

const files = [
  filesAt<PageRouteDeps>({ path: welcomeFilesPath, partOf: '/', filesOf: ({ welcomeFiles }) => welcomeFiles }),
  filesAt<PageRouteDeps>({
    path: referenceFilesPath,
    partOf: '/docs',
    filesOf: ({ referenceFiles }) => referenceFiles,
  }),
]

export function pageRoutes(): RouteGroup<PageRouteDeps> {
  return { routes: [index, reference, ...files] }
}
