/**
 * The pages that links in mails lead to, where the application has none of its own (`MAIL_LINKS`).
 * Mail scanners open links, so opening a page must spend no token. The person presses a button, and
 * the page's script then sends the token.
 */

import { languagesOf } from '../../base/languages.ts'
import { defineRoute, type RouteGroup } from '../../endpoint/define-route.ts'
import type { RouteContext } from '../../endpoint/route-access.ts'
import { filesAt, openPageRoute, pageListing } from '../../http/engine-route-texts.ts'
import { answerPage, checkPageAccepted, escapeHtml, policyOf } from '../../http/pages/html-page.ts'
import { makePageFiles, type PageFiles, scriptType, styleType, writtenFile } from '../../http/pages/page-files.ts'
import { isVerification } from '../../resource/accounts/credential-actions.ts'
import type { LoginMark } from '../../resource/accounts/identity-mark.ts'
import type { MarkedTable } from '../../resource/catalog.ts'
import { passwordBytes } from '../../resource/fields/secret.ts'
import { apiPrefix } from '../../resource/words/api-prefix.ts'
import { kebabOf } from '../../resource/words/names.ts'
import { accountScript } from './account-script.ts'
import { accountStyle } from './account-style.ts'
import { accountText, isAccountLanguage, type PageName, type PageText } from './account-texts.ts'

export const accountPagesPath = '/account'
const filesPath = `${accountPagesPath}/files`
const policy = policyOf({
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': 'data:',
  'connect-src': "'self'",
})

/**
 * Where a page's script sends the token: a path of this server, in which `:id` stands for the user
 * who is logged in.
 */
type AccountPages = { readonly [N in PageName]?: string | undefined }

/**
 * Where a page asks for another mail; undefined where the user who is logged in asks, at the target
 * itself.
 */
const asksAt: Readonly<Record<PageName, string | undefined>> = {
  reset: '/auth/forgot',
  verify: '/auth/verify',
  'log-in': '/auth/login-link',
  'own-address': undefined,
  invite: undefined,
}

/** For a log-in that needs more. A recovery code stands in for a passkey as well. */
function stepOf({ code, passkey }: PageText): string {
  return `<div data-step hidden>
<label>${escapeHtml(code)} <input type="text" autocomplete="one-time-code" maxlength="100"></label>
<p><button type="button" hidden>${escapeHtml(passkey)}</button></p>
</div>
`
}

function field(label: string, attributes: string): string {
  return `<label>${escapeHtml(label)} <input ${attributes}></label>\n`
}

/** Hidden until the server asks for the password of a new account. */
function newAccountOf({ password }: PageText, attributes: string): string {
  return `<div data-step hidden>\n${field(password, attributes)}</div>\n`
}

/** Hidden until the link turns out to be invalid. */
function renewalOf(name: PageName, { renew, renewAbout, email, send }: PageText): string {
  const at = asksAt[name]
  return `<details><summary>${escapeHtml(renew)}</summary>
${renewAbout ? `<p>${escapeHtml(renewAbout)}</p>\n` : ''}<form${at ? ` data-to="..${at}"` : ''}>
${at ? field(email, 'type="email" name="email" autocomplete="username" required') : ''}<button>${escapeHtml(send)}</button>
</form>
</details>`
}

/**
 * The target is relative to the page, so that it works behind a proxy that serves the API below a
 * path.
 */
function bodyOf(name: PageName, target: string, text: PageText): string {
  const { min, max } = passwordBytes
  const password = `type="password" name="password" autocomplete="new-password" minlength="${min}" maxlength="${max}"`
  return `<main data-page="${name}" data-said="${escapeHtml(JSON.stringify(text.said))}">
<h1>${escapeHtml(text.title)}</h1>
<p>${escapeHtml(text.about)}</p>
<form id="use" data-to="..${escapeHtml(target)}">
${name === 'reset' ? field(text.password, `${password} required`) : ''}${name === 'invite' ? newAccountOf(text, password) : ''}${name === 'log-in' ? stepOf(text) : ''}<button>${escapeHtml(text.button)}</button>
</form>
<p role="status"></p>
${name === 'invite' ? '' : renewalOf(name, text)}
<noscript><p>${escapeHtml(text.script)}</p></noscript>
</main>`
}

export type AccountPageDeps = { readonly files: PageFiles }

export function accountPageNeeds(): AccountPageDeps {
  return {
    files: makePageFiles(filesPath, {
      'account.css': writtenFile(styleType, accountStyle),
      'account.js': writtenFile(scriptType, accountScript),
    }),
  }
}

const pageAt = (name: PageName, target: string) =>
  defineRoute({
    method: 'GET',
    path: `${accountPagesPath}/${name}`,
    describe: { partOf: 'accounts by mail' },
    ...openPageRoute,
    output: { 200: pageListing },
    run({ request: { headers } }, { files }: AccountPageDeps) {
      checkPageAccepted(headers)
      const language = languagesOf(headers['accept-language']).find(isAccountLanguage) ?? 'en'
      const text = accountText(name, language)
      const body = bodyOf(name, target, text)
      const answer = answerPage({ title: text.title, files: files.addresses(), body, policy, language })
      // Its address holds a token.
      return { ...answer, headers: { ...answer.headers, 'cache-control': 'no-store', vary: 'Accept, Accept-Language' } }
    },
  })

/** Where the scripts of the pages send what they are given. */
function targetsOf({ catalog, settings }: RouteContext): AccountPages {
  const { path, actions, actionNames } = (catalog.login as MarkedTable<LoginMark>).resource
  const proof = actionNames.find((name) => isVerification(actions[name]))
  return {
    reset: '/auth/reset',
    verify: '/auth/verify',
    'log-in': settings.loginLink ? '/auth/login-link' : undefined,
    invite: catalog.invitations.length > 0 ? '/auth/invitation' : undefined,
    'own-address': path && proof && `${apiPrefix}${path}/:id/${kebabOf(proof)}`,
  }
}

/** None where accounts are not recovered by mail. */
export function accountPageRoutes(ground: RouteContext): RouteGroup<AccountPageDeps> {
  if (!ground.catalog.login || !ground.catalog.oneTimeToken) return { routes: [] }
  const pages = Object.entries(targetsOf(ground)).flatMap(([name, target]) =>
    target ? [pageAt(name as PageName, target)] : [],
  )
  const files = filesAt<AccountPageDeps>({
    path: filesPath,
    partOf: 'accounts by mail',
    filesOf: (needs) => needs.files,
  })
  return { routes: [...pages, files] }
}
