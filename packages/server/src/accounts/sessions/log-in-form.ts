/**
 * The log-in form in the bar of pages: a password, and the second step where one is due. A user
 * whose role requires a factor can enrol an authenticator app. The script is a text, since it runs
 * in browsers. It keeps tokens only in the page.
 */

import { escapeHtml } from '../../http/pages/html-page.ts'
import type { BarForm } from '../../http/pages/page-frame.ts'
import type { Engine } from '../../perform/engine.ts'
import { apiPrefix } from '../../resource/words/api-prefix.ts'
import { factorsPath } from '../factors/factors-path.ts'

const codeLabel = 'Code of your authenticator app, or a recovery code'

/** Empty where there are no users. */
function bodyOf({ catalog: { login, factor } }: Pick<Engine, 'catalog'>): string {
  if (!login) return ''
  const enrolment = factor ? ` data-enrol="${escapeHtml(factorsPath(factor.resource))}"` : ''
  return `<p role="status" id="message"></p>
<form id="log-in">
<input name="email" type="email" placeholder="E-mail" aria-label="E-mail" autocomplete="username" required>
<input name="password" type="password" placeholder="Password" aria-label="Password" autocomplete="current-password" required>
<button>Log in</button>
</form>
<form id="second-step"${enrolment} hidden>
<input name="code" placeholder="Code" aria-label="${codeLabel}" title="${codeLabel}" autocomplete="one-time-code" maxlength="100" required>
<button>Go on</button>
<button type="button" id="passkey" hidden>Use a passkey</button>
<button type="button" id="back">Back</button>
</form>
<p id="person" hidden><span>Logged in as <b id="name"></b></span> <button type="button" id="log-out">Log out</button></p>`
}

/**
 * Of a second step, for every page that has one: which member a typed code is, and what the device
 * answers.
 */
export const proofFunctions = `function proofOf(shown) {
  const isCode = /^[\\d\\s-]+$/.test(shown) && shown.replace(/\\D/g, '').length === 6
  return { [isCode ? 'code' : 'recoveryCode']: shown }
}

function canAskDevice() {
  return Boolean(window.PublicKeyCredential?.parseRequestOptionsFromJSON)
}

async function proofOfDevice({ ticket, options }) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  return { ticket, passkey: (await navigator.credentials.get({ publicKey })).toJSON() }
}
`

/**
 * `makeLogIn({ entered, left })` → `{ refresh(), leave(reason), say(text) }`. It calls
 * `entered(token)` with an access token, and `left()` when it is gone. `refresh()` gives a new
 * token, or throws.
 */
const logInScript = `${proofFunctions}
async function post(path, body) {
  const headers = body ? { 'content-type': 'application/json' } : {}
  const answer = await fetch(path, { method: 'POST', headers, body: body && JSON.stringify(body) })
  const value = answer.status === 204 ? {} : await answer.json()
  if (!answer.ok) throw Object.assign(new Error(value.error), { said: value })
  return value
}

function makeLogIn({ entered, left }) {
  const element = (id) => document.getElementById(id)
  const [forms, step, device] = [['log-in', 'second-step', 'person'], element('second-step'), element('passkey')]
  let ticket
  let name
  let isEnrolling
  // Where the cookie of the session is sent to.
  let mount = ''

  function say(text) {
    element('message').textContent = text
  }

  function show(shown) {
    for (const id of forms) element(id).hidden = id !== shown
    step.reset()
  }

  // A role that must have a factor gets its first one here.
  async function enrol(given) {
    const begun = await post(step.dataset.enrol, { ticket: given, type: 'totp' })
    ticket = begun.ticket
    isEnrolling = true
    show('second-step')
    device.hidden = true
    say('Your role needs a second factor, and there is none yet. Add this key to an authenticator app, then type its code: ' + begun.secret)
    step.elements.code.focus()
  }

  function fail({ message, said = {} }) {
    if (said.next === 'enrol') return enrol(said.ticket).catch(fail)
    const isDue = said.ticket
    if (message === 'Invalid ticket') show('log-in')
    say(isDue ? 'One more step: your second factor' : message === 'Invalid ticket' ? 'That took too long: log in again' : message)
    if (!isDue) return
    ticket = said.ticket
    isEnrolling = false
    show('second-step')
    device.hidden = !said.factors.includes('passkey') || !canAskDevice()
    step.elements.code.focus()
  }

  async function attempt(proof) {
    try {
      const { accessToken, recoveryCodes } = await proof()
      mount = recoveryCodes ? '${apiPrefix}' : ''
      element('log-in').reset()
      element('name').textContent = name
      show('person')
      say(recoveryCodes ? 'Keep these recovery codes; they are shown only now: ' + recoveryCodes.join(' ') : '')
      await entered(accessToken)
    } catch (error) {
      fail(error)
    }
  }

  function leave(reason) {
    show('log-in')
    say(reason)
    left()
  }

  element('log-in').addEventListener('submit', (event) => {
    event.preventDefault()
    const { email, password } = Object.fromEntries(new FormData(event.target))
    name = email
    void attempt(() => post('/auth/login', { email, password }))
  })
  step.addEventListener('submit', (event) => {
    event.preventDefault()
    const shown = step.elements.code.value
    if (isEnrolling) return attempt(() => post(step.dataset.enrol + '/finish', { ticket, code: shown }))
    void attempt(() => post('/auth/factor', { ticket, ...proofOf(shown) }))
  })
  device.addEventListener('click', () => attempt(async () => post('/auth/factor', await proofOfDevice(await post('/auth/passkey', { ticket })))))
  element('back').addEventListener('click', () => {
    show('log-in')
    say('')
  })
  element('log-out').addEventListener('click', async () => {
    await post(mount + '/auth/logout').catch(() => undefined)
    leave('')
  })
  return { say, leave, refresh: async () => (await post(mount + '/auth/refresh')).accessToken }
}
`

/** For the bar of every page that identifies its reader. */
export function logInForm(engine: Pick<Engine, 'catalog'>): BarForm {
  return { body: bodyOf(engine), script: logInScript }
}
