/**
 * HTML pages of text alone, such as the list of errors: a title and sections with anchors, without
 * scripts.
 */
import { hash } from 'node:crypto'
import type { HttpResponse } from '../messages/exchange.ts'
import { answerPage, escapeHtml, policyOf } from './html-page.ts'
import { barOf, barStyle, colours } from './page-frame.ts'

export type ArticleSection = {
  /** The fragment of the address that leads here: `/errors#not-found`. */
  readonly anchor: string
  readonly title: string
  /** Plain texts; text between backticks is shown as code. */
  readonly paragraphs: readonly string[]
}

export type Article = {
  readonly title: string
  /** Paragraphs below the title, as in a section. */
  readonly paragraphs?: readonly string[]
  readonly sections?: readonly ArticleSection[]
  /** The path of the page, where the navigation bar links it. */
  readonly path?: string
}

const style = `${colours}${barStyle}
main { max-width: 44rem; margin: 0 auto; padding: 2rem 1rem 4rem }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 1rem }
h2 { font-size: 1.25rem; margin: 2rem 0 0.5rem; scroll-margin-top: 5rem }
p { margin: 0.5rem 0 }
main a { color: var(--link) }
code { padding: 0.1em 0.3em; border-radius: 4px; background: var(--panel); overflow-wrap: anywhere }
`

/** Only the style above is allowed. */
const policy = policyOf({
  'style-src': `'sha256-${hash('sha256', style, 'base64')}'`,
  'img-src': 'data:',
})

function paragraphOf(text: string): string {
  return `<p>${escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</p>`
}

function sectionOf({ anchor, title, paragraphs }: ArticleSection): string {
  return [`<h2 id="${escapeHtml(anchor)}">${escapeHtml(title)}</h2>`, ...paragraphs.map(paragraphOf)].join('\n')
}

export function answerArticle({ title, paragraphs = [], sections = [], path }: Article): HttpResponse {
  const text = [`<h1>${escapeHtml(title)}</h1>`, ...paragraphs.map(paragraphOf), ...sections.map(sectionOf)].join('\n')
  return answerPage({ title, files: [], style, body: `${barOf(path)}\n<main>\n${text}\n</main>`, policy })
}
