/**
 * The pages that links in mails lead to, where the application has none of its own (`MAIL_LINKS`). Programs that look through mails open links,
 * so that opening one spends nothing: the person at the page presses a button, and its script sends the token.
 */
import { answerPage, checkPageAccepted, escapeHtml, policyOf } from '../http/page-answer.ts'
import { makePageFiles, scriptType, styleType, writtenFile } from '../http/page-files.ts'
import type { HttpRoute } from '../http/server.ts'
import { languagesOf } from '../languages.ts'
import { passwordBytes } from '../resource/fields/secret.ts'
import { kebabOf } from '../resource/names.ts'
import { accountScript } from './account-script.ts'
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
  /** Where somebody has to be logged in, and is not. */
  readonly logIn: string
  /** Of the second step of a log-in. */
  readonly due: string
  readonly code: string
  readonly passkey: string
}
type PageName = 'reset' | 'verify' | 'log-in' | 'own-address'

/** Where a page's script sends the token: a path of this server, in which `:id` stands for the user who is logged in. */
export type AccountPages = { readonly [N in PageName]?: string | undefined }

const common: Readonly<Record<string, Common>> = {
  en: {
    password: 'New password',
    incomplete: 'This link is incomplete: open it again from the mail.',
    failed: 'That did not work. Try again later.',
    script: 'This page needs JavaScript.',
    logIn: 'Log in with this browser, to the account that the mail is about. Then open the link again.',
    due: 'One more step: your second factor.',
    code: 'Code of your authenticator app, or a recovery code',
    passkey: 'Use a passkey',
  },
  de: {
    password: 'Neues Passwort',
    incomplete: 'Dieser Link ist unvollständig: Öffnen Sie ihn noch einmal aus der Mail.',
    failed: 'Das hat nicht geklappt. Versuchen Sie es später noch einmal.',
    script: 'Diese Seite braucht JavaScript.',
    logIn:
      'Melden Sie sich mit diesem Browser im Konto an, um das es in der Mail geht. Öffnen Sie den Link dann noch einmal.',
    due: 'Noch ein Schritt: Ihr zweiter Faktor.',
    code: 'Code Ihrer Authenticator-App oder ein Wiederherstellungscode',
    passkey: 'Passkey benutzen',
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
  'own-address': {
    en: {
      title: 'Confirm the address of your account',
      about: 'You have to be logged in with this browser. Nothing else in the account changes.',
      button: 'Confirm',
      done: 'The address is confirmed.',
    },
    de: {
      title: 'Die Adresse Ihres Kontos bestätigen',
      about: 'Dazu müssen Sie mit diesem Browser angemeldet sein. Sonst ändert sich im Konto nichts.',
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

/** For a log-in that needs more. A recovery code stands in for a passkey as well. */
function stepOf({ code, passkey }: Common): string {
  return `<div data-step hidden>
<label>${escapeHtml(code)} <input type="text" autocomplete="one-time-code" maxlength="100"></label>
<p><button type="button" hidden>${escapeHtml(passkey)}</button></p>
</div>
`
}

type Shown = { readonly name: PageName; readonly target: string; readonly said: Common }

/** The target is as seen from the page, so that it is right behind a proxy that serves all of this below a path. */
function bodyOf({ name, target, said }: Shown, { title, about, button, done }: Words): string {
  const isLogIn = name === 'log-in'
  const { incomplete, failed, due, logIn } = said
  const needsSession = name === 'own-address'
  const data = { to: `..${target}`, done, incomplete, failed, ...(isLogIn && { due }), ...(needsSession && { logIn }) }
  const attributes = Object.entries(data).map(([key, value]) => ` data-${kebabOf(key)}="${escapeHtml(value)}"`)
  const { min, max } = passwordBytes
  const input = `<label>${escapeHtml(said.password)} <input type="password" name="password" autocomplete="new-password" minlength="${min}" maxlength="${max}" required></label>`
  return `<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(about)}</p>
<form${attributes.join('')}>
${name === 'reset' ? `${input}\n` : ''}${isLogIn ? stepOf(said) : ''}<button>${escapeHtml(button)}</button>
</form>
<p role="status"></p>
<noscript><p>${escapeHtml(said.script)}</p></noscript>
</main>`
}

/** Those that have a target. */
export function makeAccountPages(targets: AccountPages): HttpRoute[] {
  const files = makePageFiles(filesPath, {
    'account.css': writtenFile(styleType, accountStyle),
    'account.js': writtenFile(scriptType, accountScript),
  })
  const page = (name: PageName, target: string): HttpRoute => ({
    methods: ['GET'],
    path: `${accountPagesPath}/${name}`,
    async answer({ headers }) {
      checkPageAccepted(headers)
      const language = languagesOf(headers['accept-language']).find((one) => Object.hasOwn(common, one)) ?? 'en'
      const said = words[name][language] as Words
      const body = bodyOf({ name, target, said: common[language] as Common }, said)
      const answer = answerPage({ title: said.title, files: files.addresses(), body, policy, language })
      // Its address holds a token.
      return { ...answer, headers: { ...answer.headers, 'cache-control': 'no-store', vary: 'Accept, Accept-Language' } }
    },
  })
  const pages = Object.entries(targets).flatMap(([name, target]) => (target ? [page(name as PageName, target)] : []))
  return [...pages, filesRoute(filesPath, files)]
}
