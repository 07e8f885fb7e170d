/**
 * Makes the site's pages from the files in docs/. Removes comments for the tests of documents, and
 * points links to files outside of docs/ at copies beside the pages.
 */
import { cpSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'
import { docs, readPages, withList } from './sidebar.ts'
import { slugOf } from './slug.ts'

/** Comments would otherwise stand in the index of the search. */
function withoutComments(md: MarkdownRenderer): void {
  md.core.ruler.push('without-comments', (state) => {
    state.tokens = state.tokens.filter(({ type, content }) => type !== 'html_block' || !content.startsWith('<!--'))
  })
}

/** The page of a folder lists its pages. */
function listsOfPages(md: MarkdownRenderer): void {
  md.core.ruler.before('normalize', 'lists-of-pages', (state) => {
    state.src = withList(state.env.relativePath ?? '', state.src)
  })
}

/**
 * `outerPath('how-to/a.md', '../../deploy/nginx.conf')` → `deploy/nginx.conf`; nothing for a link
 * within docs/.
 */
export function outerPath(page: string, link: string): string | undefined {
  if (/^(?:[a-z]+:|\/|#)/.test(link)) return undefined
  const path = posix.join('docs', posix.dirname(page), link.replace(/#.*$/, ''))
  return path.startsWith('docs/') ? undefined : path
}

function outerLinks(md: MarkdownRenderer): void {
  md.core.ruler.push('outer-links', (state) => {
    for (const token of state.tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type !== 'link_open') continue
      const path = outerPath(state.env.relativePath ?? '', token.attrGet('href') ?? '')
      if (path === undefined) continue
      token.attrSet('href', `/files/${path}`)
      // With a target, VitePress takes it for no page.
      token.attrSet('target', '_blank')
    }
  })
}

/** VitePress's options for Markdown. The test of the search renders pages with them, too. */
export const markdown = {
  anchor: { slugify: slugOf },
  config(md: MarkdownRenderer) {
    for (const plugin of [withoutComments, listsOfPages, outerLinks]) md.use(plugin)
  },
}

export function copyLinkedFiles(outDir: string): void {
  const links = [...readPages(), ...readPages('decisions/')].flatMap(({ path, text }) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => outerPath(`${path}.md`, link as string)),
  )
  for (const path of new Set(links.filter((one) => one !== undefined)))
    cpSync(join(dirname(docs), path), join(outDir, 'files', path), { recursive: true })
}
