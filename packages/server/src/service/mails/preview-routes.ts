/**
 * The page of all mails with example values. Only `bindery dev` serves it, to its own machine. Each
 * mail with HTML is in a frame that runs no script and loads nothing.
 */
import { createHash } from 'node:crypto'
import { ApiError } from '../../errors.ts'
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import { answerPage, answerText, escapeHtml, policyOf } from '../../http/pages/html-page.ts'
import { colours } from '../../http/pages/page-frame.ts'
import type { HttpRoute } from '../../http/server.ts'
import { isOwnAddress } from '../../settings/network-settings.ts'
import { type PreviewedMail, type PreviewedMails, previewMails } from './preview-mails.ts'

export const previewPath = '/_mails'
const scriptName = 'follow.js'

const policy = policyOf({
  'script-src': "'self'",
  'style-src': "'unsafe-inline'",
  'connect-src': "'self'",
  'frame-src': "'self'",
})

const style = `${colours}
a { color: var(--link) }
main { max-width: 60rem; margin: 0 auto; padding: 1rem }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; list-style: none }
article { border: 1px solid var(--line); border-radius: .375rem; margin: 1rem 0; overflow: hidden }
article > h3 { margin: 0; padding: .5rem .75rem; background: var(--panel); font-size: 1rem; font-weight: 600 }
article > h3 small { color: var(--quiet); margin-right: .75rem }
article > p { margin: 0; padding: .5rem .75rem 0; color: var(--quiet); font-size: .875rem }
iframe { display: block; width: 100%; height: 20rem; border: 0; background: #fff; resize: vertical; overflow: auto }
pre { margin: 0; padding: .75rem; white-space: pre-wrap; overflow-wrap: anywhere }
.mistakes { border-left: 4px solid #b3261e; background: var(--panel); padding: .5rem 1rem .5rem 2rem }
`

/** Loads the page again when a file of a mail has changed. */
const script = `let before
async function look() {
  const answer = await fetch('${previewPath}', { cache: 'no-store', headers: { accept: 'text/html' } }).catch(() => undefined)
  const now = answer?.ok ? await answer.text() : undefined
  if (before !== undefined && now !== undefined && now !== before) location.reload()
  before = now ?? before
  setTimeout(look, 500)
}
look()
`

function frameOf({ name, language, html = '' }: PreviewedMail): string {
  const version = createHash('sha256').update(html).digest('hex').slice(0, 12)
  const address = `${previewPath}/${encodeURIComponent(`${name}.${language}.html`)}?${version}`
  return `<p>HTML</p>\n<iframe sandbox title="${escapeHtml(`${name}, ${language}`)}" src="${address}"></iframe>`
}

function articleOf(mail: PreviewedMail): string {
  const { language, subject, text, html } = mail
  return `<article lang="${escapeHtml(language)}">
<h3><small>${escapeHtml(language)}</small>${escapeHtml(subject)}</h3>
${html === undefined ? '' : `${frameOf(mail)}\n<p>Text</p>`}
<pre>${escapeHtml(text)}</pre>
</article>`
}

function bodyOf({ mails, mistakes }: PreviewedMails): string {
  const names = [...new Set(mails.map(({ name }) => name))]
  const wrong = mistakes.map((one) => `<li>${escapeHtml(one)}</li>`).join('\n')
  const links = names.map((name) => `<li><a href="#${escapeHtml(name)}">${escapeHtml(name)}</a></li>`).join('\n')
  const sections = names.map(
    (name) => `<section id="${escapeHtml(name)}">
<h2>${escapeHtml(name)}</h2>
${mails
  .filter((one) => one.name === name)
  .map(articleOf)
  .join('\n')}
</section>`,
  )
  return `<main>
<h1>Mails</h1>
<p>Each mail in each language, with example values. The page follows the files. None of these is sent.</p>
${wrong === '' ? '' : `<ul class="mistakes" role="alert">\n${wrong}\n</ul>`}
<nav aria-label="Mails"><ul>
${links}
</ul></nav>
${sections.join('\n') || '<p>This application has no mails.</p>'}
</main>`
}

/** HTML of a mail runs no script, sends no form and loads no picture, also where it is alone. */
const frameHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'",
  'cache-control': 'no-store',
}

function fileOf({ mails }: PreviewedMails, file: string | undefined): HttpResponse {
  if (file === scriptName) return answerText(script, { 'content-type': 'text/javascript; charset=utf-8' })
  const mail = mails.find(({ name, language }) => `${name}.${language}.html` === file)
  if (mail?.html === undefined) throw new ApiError('not-found', 'There is no such mail with HTML')
  return answerText(mail.html, { ...frameHeaders })
}

/** Throws `not-found` for other machines. */
function checkOwnMachine({ address }: Pick<HttpRequest, 'address'>): void {
  if (!isOwnAddress(address)) throw new ApiError('not-found', 'Not found')
}

export function previewRoutes(deps: Parameters<typeof previewMails>[0]): readonly HttpRoute[] {
  const route = (path: string, answer: (request: HttpRequest) => HttpResponse): HttpRoute => ({
    methods: ['GET'],
    path,
    answer(request) {
      checkOwnMachine(request)
      return answer(request)
    },
  })
  return [
    route(previewPath, () => {
      const files = [`${previewPath}/${scriptName}`]
      return answerPage({ title: 'Mails', files, style, body: bodyOf(previewMails(deps)), policy })
    }),
    route(`${previewPath}/:file`, ({ parameters }) => fileOf(previewMails(deps), parameters.file)),
  ]
}
