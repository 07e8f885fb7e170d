/** What runs in the pages that links in mails lead to. The rest of a page is `account-pages.ts`. */

/**
 * The token leaves the address bar at once, and with it the history. What the server says is shown as text. Where a second factor is due, the
 * page goes on to it: the token of the mail is spent by then, so that nobody could begin again.
 */
export const accountScript = `'use strict'
const form = document.querySelector('form')
const told = document.querySelector('[role=status]')
const step = form.querySelector('[data-step]')
const token = new URLSearchParams(location.search).get('token')
let ticket
history.replaceState(null, '', location.pathname)
if (!token) { told.textContent = form.dataset.incomplete; form.hidden = true }

async function send(to, sent, more) {
  const headers = { 'content-type': 'application/json', ...more }
  const answer = await fetch(to, { method: 'POST', headers, body: JSON.stringify(sent) })
  return { isDone: answer.ok, said: await answer.json().catch(() => ({})) }
}

function tell({ isDone, said }) {
  form.hidden = isDone
  told.textContent = isDone ? form.dataset.done : (said.error ?? form.dataset.failed)
  if (!step || !said.ticket || said.next === 'enrol') return
  ticket = said.ticket
  told.textContent = form.dataset.due
  step.hidden = false
  step.querySelector('input').required = true
  step.querySelector('button').hidden = !said.factors.includes('passkey') || !window.PublicKeyCredential?.parseRequestOptionsFromJSON
  step.querySelector('input').focus()
}

async function act(work) {
  const buttons = form.querySelectorAll('button')
  for (const one of buttons) one.disabled = true
  try {
    await work()
  } catch {
    told.textContent = form.dataset.failed
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

async function sendLoggedIn() {
  const access = await accessToken()
  if (!access) { told.textContent = form.dataset.logIn; return }
  const { userId } = JSON.parse(atob(access.split('.')[1].replaceAll('-', '+').replaceAll('_', '/')))
  tell(await send(form.dataset.to.replace(':id', encodeURIComponent(userId)), { token }, { authorization: 'Bearer ' + access }))
}

const toFactor = (proof) => send('../auth/factor', proof)

form.addEventListener('submit', (event) => {
  event.preventDefault()
  void act(async () => {
    if (form.dataset.logIn) return sendLoggedIn()
    if (!ticket) return tell(await send(form.dataset.to, { token, ...Object.fromEntries(new FormData(form)) }))
    const shown = step.querySelector('input').value
    const isCode = /^[\\d\\s-]+$/.test(shown) && shown.replace(/\\D/g, '').length === 6
    tell(await toFactor({ ticket, [isCode ? 'code' : 'recoveryCode']: shown }))
  })
})

step?.querySelector('button').addEventListener('click', () => act(async () => {
  const { isDone, said } = await send('../auth/passkey', { ticket })
  if (!isDone) return tell({ isDone, said })
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(said.options)
  const passkey = await navigator.credentials.get({ publicKey })
  tell(await toFactor({ ticket: said.ticket, passkey: passkey.toJSON() }))
}))
`
