/**
 * The pages that links in mails lead to, where the application has none of its own (`MAIL_LINKS`). Programs that look through mails open links,
 * so that opening one spends nothing: the person at the page presses a button, and its script sends the token.
 */

import { answerPage, checkPageAccepted, escapeHtml, policyOf } from '../http/page-answer.ts'
import { makePageFiles, scriptType, styleType, writtenFile } from '../http/page-files.ts'
import type { HttpRoute } from '../http/server.ts'
import { languagesOf } from '../languages.ts'
import { passwordBytes } from '../resource/fields/secret.ts'
import { filesRoute } from './page-routes.ts'
import { accountStyle } from './page-style.ts'

export const accountPagesPath = '/account'
const filesPath = `${accountPagesPath}/files`
const policy = policyOf({
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': 'data:',
  'connect-src': "'self'",
})

type Words = {
  readonly title: string
  readonly about: string
  readonly button: string
  readonly done: string
}
type Common = {
  readonly password: string
  readonly incomplete: string
  readonly failed: string
  readonly script: string
}
type PageName = 'reset' | 'verify' | 'log-in'

const common: Readonly<Record<string, Common>> = {
  en: {
    password: 'New password',
    incomplete: 'This link is incomplete: open it again from the mail.',
    failed: 'That did not work. Try again later.',
    script: 'This page needs JavaScript.',
  },
  de: {
    password: 'Neues Passwort',
    incomplete: 'Dieser Link ist unvollständig: Öffnen Sie ihn noch einmal aus der Mail.',
    failed: 'Das hat nicht geklappt. Versuchen Sie es später noch einmal.',
    script: 'Diese Seite braucht JavaScript.',
  },
}

const words: Readonly<Record<PageName, Readonly<Record<string, Words>>>> = {
  reset: {
    en: {
      title: 'Choose a new password',
      about: `At least ${passwordBytes.min} characters. All sessions of the account end.`,
      button: 'Save',
      done: 'The password is changed. You can log in with it now.',
    },
    de: {
      title: 'Ein neues Passwort wählen',
      about: `Mindestens ${passwordBytes.min} Zeichen. Alle Sitzungen des Kontos enden.`,
      button: 'Speichern',
      done: 'Das Passwort ist geändert. Sie können sich jetzt damit anmelden.',
    },
  },
  verify: {
    en: {
      title: 'Confirm your e-mail address',
      about: 'Confirm that the address that the mail came to is yours.',
      button: 'Confirm',
      done: 'The address is confirmed.',
    },
    de: {
      title: 'E-Mail-Adresse bestätigen',
      about: 'Bestätigen Sie, dass die Adresse, an die die Mail ging, Ihnen gehört.',
      button: 'Bestätigen',
      done: 'Die Adresse ist bestätigt.',
    },
  },
  'log-in': {
    en: { title: 'Log in', about: 'Log in on this device.', button: 'Log in', done: 'You are logged in.' },
    de: {
      title: 'Anmelden',
      about: 'Melden Sie sich auf diesem Gerät an.',
      button: 'Anmelden',
      done: 'Sie sind angemeldet.',
    },
  },
}

/** Where the script of a page sends the token, as seen from the page, also behind a proxy that serves all of this below a path. */
const targets: Readonly<Record<PageName, string>> = {
  reset: '../auth/reset',
  verify: '../auth/verify',
  'log-in': '../auth/login-link',
}

/** The token leaves the address bar at once, and with it the history. What the server says is shown as text. */
const script = `'use strict'
const form = document.querySelector('form')
const told = document.querySelector('[role=status]')
const token = new URLSearchParams(location.search).get('token')
history.replaceState(null, '', location.pathname)
if (!token) { told.textContent = form.dataset.incomplete; form.hidden = true }
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const button = form.querySelector('button')
  button.disabled = true
  try {
    const body = JSON.stringify({ token, ...Object.fromEntries(new FormData(form)) })
    const answer = await fetch(form.dataset.to, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const isDone = answer.ok
    form.hidden = isDone
    told.textContent = isDone ? form.dataset.done : ((await answer.json()).error ?? form.dataset.failed)
  } catch {
    told.textContent = form.dataset.failed
  }
  button.disabled = false
})
`

function bodyOf(name: PageName, { title, about, button, done }: Words, said: Common): string {
  const data = { to: targets[name], done, incomplete: said.incomplete, failed: said.failed }
  const attributes = Object.entries(data).map(([key, value]) => ` data-${key}="${escapeHtml(value)}"`)
  const { min, max } = passwordBytes
  const input = `<label>${escapeHtml(said.password)} <input type="password" name="password" autocomplete="new-password" minlength="${min}" maxlength="${max}" required></label>`
  return `<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(about)}</p>
<form${attributes.join('')}>
${name === 'reset' ? `${input}\n` : ''}<button>${escapeHtml(button)}</button>
</form>
<p role="status"></p>
<noscript><p>${escapeHtml(said.script)}</p></noscript>
</main>`
}

/** `names`: the pages that there are. */
export function makeAccountPages(names: readonly PageName[]): HttpRoute[] {
  const files = makePageFiles(filesPath, {
    'account.css': writtenFile(styleType, accountStyle),
    'account.js': writtenFile(scriptType, script),
  })
  const page = (name: PageName): HttpRoute => ({
    methods: ['GET'],
    path: `${accountPagesPath}/${name}`,
    async answer({ headers }) {
      checkPageAccepted(headers)
      const language = languagesOf(headers['accept-language']).find((one) => Object.hasOwn(common, one)) ?? 'en'
      const said = words[name][language] as Words
      const body = bodyOf(name, said, common[language] as Common)
      const answer = answerPage({ title: said.title, files: files.addresses(), body, policy, language })
      // Its address holds a token.
      return { ...answer, headers: { ...answer.headers, 'cache-control': 'no-store', vary: 'Accept, Accept-Language' } }
    },
  })
  return [...names.map(page), filesRoute(filesPath, files)]
}
