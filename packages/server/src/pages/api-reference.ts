/**
 * The page `/docs`: Scalar's API reference of the OpenAPI document, served from our own files, with
 * a log-in form for trying requests.
 */
import {
  makePageFiles,
  type PageFiles,
  packagedFile,
  scriptType,
  styleType,
  writtenFile,
} from '../http/pages/page-files.ts'
import { barOf } from '../http/pages/page-frame.ts'
import { mendsScript } from './reference-fixes.ts'
import { referenceStyle } from './reference-style.ts'

export const referenceFilesPath = '/docs/assets'

/** The page contacts no other host, and the browser stores nothing that is typed. */
const bootWith = (formScript: string) => `'use strict'
const element = document.getElementById('reference')
const settings = {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  persistAuth: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  onRequestBuilt({ request: { url, headers } }) {
    // Scalar sends the form of a credential that is left empty, which would be a bad credential.
    if (/^(Bearer|Basic)?\\s*$/.test(headers.get('authorization') ?? '')) headers.delete('authorization')
    if (headers.get('x-api-key')?.trim() === '') headers.delete('x-api-key')
    const isOurs = new URL(url).origin === location.origin
    if (token && isOurs && !headers.has('authorization') && !headers.has('x-api-key'))
      headers.set('authorization', 'Bearer ' + token)
  },
}
let token
let refreshing
${mendsScript}
Scalar.createApiReference(element, settings)

${formScript}
function enter(given) {
  token = given
  clearInterval(refreshing)
  refreshing = setInterval(async () => {
    try {
      token = await logIn.refresh()
    } catch (error) {
      logIn.leave(error.message)
    }
  }, 14 * 60 * 1000)
}

function left() {
  clearInterval(refreshing)
  token = undefined
}

const logIn = document.getElementById('log-in') && makeLogIn({ entered: enter, left })
`

/** `barForm`: empty where no feature has one. */
export function referenceBody(barForm: string): string {
  return `${barOf('/docs', barForm)}
<div id="reference"></div>
<noscript>The reference needs JavaScript. The same is in <a href="/openapi.json">the OpenAPI document</a>.</noscript>`
}

export function makeReferenceFiles(formScript: string): PageFiles {
  return makePageFiles(referenceFilesPath, {
    'reference.css': writtenFile(styleType, referenceStyle),
    'scalar.js': packagedFile('scalar.js'),
    'reference.js': writtenFile(scriptType, bootWith(formScript)),
  })
}
