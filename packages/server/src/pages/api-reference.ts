/** The page at `/docs`: Scalar's API reference of the OpenAPI document, from our own files, with a form to log in for what is tried there. */
import { makePageFiles, type PageFiles, packagedFile, scriptType, styleType, writtenFile } from '../http/page-files.ts'
import { postFunction } from './page-script.ts'
import { referenceStyle } from './page-style.ts'

export const referenceFilesPath = '/docs/assets'

/** Nothing is asked of another host, and what is typed is not kept by the browser. */
const boot = `'use strict'
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
  onBeforeRequest({ request }) {
    const isOurs = new URL(request.url).origin === location.origin
    // The form of a credential that nobody filled in is sent empty.
    const isUnsaid = /^(Bearer)?\\s*$/.test(request.headers.get('authorization') ?? '')
    if (token && isOurs && isUnsaid && !request.headers.get('x-api-key'))
      request.headers.set('authorization', 'Bearer ' + token)
  },
}
let token
Scalar.createApiReference(element, settings)

const form = document.getElementById('log-in')
const person = document.getElementById('person')
const status = document.getElementById('status')
let refreshing

${postFunction}
function show(name) {
  form.hidden = name !== undefined
  person.hidden = name === undefined
  document.getElementById('name').textContent = name ?? ''
}

async function refresh() {
  try {
    token = (await post('/auth/refresh')).accessToken
  } catch (error) {
    leave(error.message)
  }
}

function leave(reason) {
  clearInterval(refreshing)
  token = undefined
  show(undefined)
  status.textContent = reason
}

form?.addEventListener('submit', async (event) => {
  event.preventDefault()
  const { email, password } = Object.fromEntries(new FormData(form))
  try {
    token = (await post('/auth/login', { email, password })).accessToken
    form.reset()
    show(email)
    status.textContent = ''
    refreshing = setInterval(refresh, 14 * 60 * 1000)
  } catch (error) {
    status.textContent = error.message
  }
})
document.getElementById('log-out')?.addEventListener('click', async () => {
  await post('/auth/logout').catch(() => undefined)
  leave('')
})
`

const loginForm = `<p role="status" id="status"></p>
<form id="log-in">
<input name="email" type="email" placeholder="E-mail" aria-label="E-mail" autocomplete="username" required>
<input name="password" type="password" placeholder="Password" aria-label="Password" autocomplete="current-password" required>
<button>Log in</button>
</form>
<p id="person" hidden><span>Requests are sent as <b id="name"></b></span> <button type="button" id="log-out">Log out</button></p>`

/** Where nobody logs in, the form is left out. */
export function referenceBody(hasLogin: boolean): string {
  return `<div class="bar"><a href="/">Bindery</a>
${hasLogin ? loginForm : ''}</div>
<div id="reference"></div>
<noscript>The reference needs JavaScript. The same is in <a href="/openapi.json">the OpenAPI document</a>.</noscript>`
}

export function makeReferenceFiles(): PageFiles {
  return makePageFiles(referenceFilesPath, {
    'reference.css': writtenFile(styleType, referenceStyle),
    'scalar.js': packagedFile('scalar.js'),
    'reference.js': writtenFile(scriptType, boot),
  })
}
