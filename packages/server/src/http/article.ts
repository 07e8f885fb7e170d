/** Pages that only say something: a title, sections with an anchor each, and nothing to load. */
import { hash } from 'node:crypto'
import type { HttpResponse } from './exchange.ts'
import { answerPage, escapeHtml, policyOf } from './page-answer.ts'

export type Section = {
  /** What an address ends with to lead here: `/errors#not-found`. */
  readonly anchor: string
  readonly title: string
  /** Plain texts; what stands between backticks is code. */
  readonly paragraphs: readonly string[]
}

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem}code{background:#8882;padding:.1em .3em}'

/** The one style that runs is the one above. */
const policy = policyOf({
  'style-src': `'sha256-${hash('sha256', style, 'base64')}'`,
  'img-src': 'data:',
})

function paragraphOf(text: string): string {
  return `<p>${escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</p>`
}

function sectionOf({ anchor, title, paragraphs }: Section): string {
  return [`<h2 id="${escapeHtml(anchor)}">${escapeHtml(title)}</h2>`, ...paragraphs.map(paragraphOf)].join('\n')
}

export function answerArticle(title: string, sections: readonly Section[]): HttpResponse {
  const body = [`<h1>${escapeHtml(title)}</h1>`, ...sections.map(sectionOf)].join('\n')
  return answerPage({ title, files: [], style, body, policy })
}
