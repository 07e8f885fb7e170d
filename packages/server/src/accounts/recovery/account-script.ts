/**
 * The script of the pages that links in mails lead to. `account-pages.ts` makes the rest of a page,
 * and `account-texts.ts` has its sentences.
 */
import { proofFunctions } from '../sessions/log-in-form.ts'

/**
 * The script removes the token from the address bar at once, and so from the history. It shows the
 * server's answers in its own words. A second factor is asked for on the same page: the token is
 * spent by then, so the user could not begin again. An invalid link opens the form that asks for
 * another mail.
 */
export const accountScript = `'use strict'
const { page, said: texts } = document.querySelector('main').dataset
const words = JSON.parse(texts)
const form = document.getElementById('use')
const told = document.querySelector('[role=status]')
const step = form.querySelector('[data-step]')
const renewal = document.querySelector('details')
const token = new URLSearchParams(location.search).get('token')
let ticket
history.replaceState(null, '', location.pathname)
if (!token) end(words.incomplete)

${proofFunctions}
function tell(text) {
  told.textContent = text
}

/** The link is of no use any more. */
function end(text) {
  tell(text)
  form.hidden = true
  if (renewal) renewal.open = true
}

async function send(to, sent, more) {
  const headers = { 'content-type': 'application/json', ...more }
  const answer = await fetch(to, { method: 'POST', headers, body: JSON.stringify(sent) })
  return { status: answer.status, isDone: answer.ok, said: await answer.json().catch(() => ({})) }
}

/** The fault of a password, read from the server's message. */
function wrongPassword({ error = '' }) {
  const known = [[/commonest/, words.common], [/own e-mail or name/, words.own], [/too easy/, words.weak], [/ bytes/, words.length]]
  const found = known.find(([sign]) => sign.test(error))?.[1] ?? (page === 'invite' ? error : words.refused)
  // Its advice is in English.
  const advice = document.documentElement.lang === 'en' && / too easy to guess[.] (.+)/.exec(error)?.[1]
  return advice ? found + ' ' + advice : found
}

function goOn({ factors }) {
  tell(words.due)
  step.hidden = false
  step.querySelector('input').required = true
  step.querySelector('button').hidden = !factors.includes('passkey') || !canAskDevice()
  step.querySelector('input').focus()
}

/** The address has no account yet. */
function choosePassword() {
  tell(words.choose)
  step.hidden = false
  step.querySelector('input').required = true
  step.querySelector('input').focus()
}

function refused({ status, said }) {
  if (said.next === 'enrol') return end(words.enrol)
  if (said.ticket) {
    ticket = said.ticket
    return goOn(said)
  }
  if (status === 401 && ticket) return said.error === 'Invalid ticket' ? end(words.late) : tell(words.wrongProof)
  if (status === 401 || status === 403) {
    end(words.used)
    // It may be good for somebody else, who logs in next.
    form.hidden = page !== 'own-address'
    return
  }
  // The sentence of the application, which refuses the account or the log-in.
  if (page === 'log-in' && (status === 400 || status === 409)) return end(said.error)
  if (status === 409) return page === 'invite' ? tell(said.error) : end(words.taken)
  if (status === 400 && page === 'invite' && step.hidden) return choosePassword()
  tell(status === 429 ? words.often : status === 400 && (page === 'reset' || page === 'invite') ? wrongPassword(said) : words.failed)
}

// The console asked for the link in this browser: it goes on there, with the cookie of this page.
function leadBack() {
  const [at, path] = (localStorage.getItem('bindery.console.asked-link') ?? '').split(' ')
  localStorage.removeItem('bindery.console.asked-link')
  localStorage.setItem('bindery.console.session', '')
  if (path && Date.now() - Number(at) < 3600000) location.assign(path)
}

function finish(answer) {
  if (!answer.isDone) return refused(answer)
  if (page === 'log-in') leadBack()
  tell(words.done)
  form.hidden = true
  if (renewal) renewal.hidden = true
}

async function act(work) {
  const buttons = document.querySelectorAll('button')
  for (const one of buttons) one.disabled = true
  try {
    await work()
  } catch {
    tell(words.failed)
  }
  for (const one of buttons) one.disabled = false
}

// The cookie of a log-in is for one of the two mounts.
async function accessToken() {
  for (const mount of ['..', '../api/v1']) {
    const { isDone, said } = await send(mount + '/auth/refresh')
    if (isDone) return said.accessToken
  }
}

/** Undefined where nobody is logged in with this browser. */
async function sendLoggedIn(sent) {
  const access = await accessToken()
  if (!access) return tell(words.logIn)
  const { userId } = JSON.parse(atob(access.split('.')[1].replaceAll('-', '+').replaceAll('_', '/')))
  return send(form.dataset.to.replace(':id', encodeURIComponent(userId)), sent, { authorization: 'Bearer ' + access })
}

const toFactor = async (proof) => finish(await send('../auth/factor', proof))

form.addEventListener('submit', (event) => {
  event.preventDefault()
  void act(async () => {
    if (ticket) return toFactor({ ticket, ...proofOf(step.querySelector('input').value) })
    const sent = { token, ...Object.fromEntries(new FormData(form)) }
    const answer = await (page === 'own-address' ? sendLoggedIn(sent) : send(form.dataset.to, sent))
    if (answer) finish(answer)
  })
})

step?.querySelector('button')?.addEventListener('click', () => act(async () => {
  const { isDone, status, said } = await send('../auth/passkey', { ticket })
  return isDone ? toFactor(await proofOfDevice(said)) : refused({ status, said })
}))

renewal?.querySelector('form').addEventListener('submit', (event) => {
  event.preventDefault()
  void act(async () => {
    const { to } = event.target.dataset
    const answer = await (to ? send(to, Object.fromEntries(new FormData(event.target))) : sendLoggedIn({}))
    if (!answer) return
    tell(answer.isDone ? words.sent : answer.status === 429 ? words.often : words.failed)
    if (answer.isDone) form.hidden = renewal.hidden = true
  })
})
`
