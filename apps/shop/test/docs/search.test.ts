/**
 * The site's search answers what people ask, at the first hit. The pages are indexed as VitePress
 * does it for the site (its plugin of the local search), without a build: sections by headings, and
 * the site's own options.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import MiniSearch from 'minisearch'
import { createMarkdownRenderer } from 'vitepress'
import { listsOfPages, outerLinks, withoutComments } from '../../../../site/markdown.ts'
import { searchOptions } from '../../../../site/search-options.ts'
import { docs, readPages } from '../../../../site/sidebar.ts'
import { slugOf } from '../../../../site/slug.ts'

type Section = {
  readonly id: string
  readonly title: string
  readonly titles: readonly string[]
  readonly text: string
}

const bare = (html: string) => html.replaceAll(/<[^>]*>/g, '')

/** As VitePress splits a page: `[level, heading, text]` for each heading. */
function sectionsOf(path: string, html: string): Section[] {
  const parts = html.split(/<h(\d*).*?>(.*?<a.*? href="#.*?".*?>.*?<\/a>)<\/h\1>/gi).slice(1)
  const above: string[] = []
  const sections: Section[] = []
  for (let i = 0; i < parts.length; i += 3) {
    const level = Number(parts[i]) - 1
    const [, title = '', anchor = ''] = /(.*?)<a.*? href="#(.*?)".*?>.*?<\/a>/i.exec(parts[i + 1] ?? '') ?? []
    above.length = level
    const titles = above.filter(Boolean)
    above[level] = bare(title).trim()
    sections.push({ id: `${path}#${anchor}`, title: above[level] as string, titles, text: bare(parts[i + 2] ?? '') })
  }
  return sections
}

/** The page that the first hit must be of. */
const questions: readonly (readonly [question: string, page: string])[] = [
  ['how do I rename a field', 'how-to/declare-rename-a-field'],
  ['how do I log in with Google', 'how-to/accounts-log-in-with-a-provider'],
  ['how do I import a CSV file', 'how-to/api-import-a-csv'],
  ['how do I page through a list', 'how-to/api-page-through-a-list'],
  ['how do I retry a request safely', 'how-to/api-retry-safely'],
  ['how do I upload many records at once', 'how-to/api-upload-many'],
  ['how do I test my application', 'how-to/test-an-application'],
  ['how do I give a user an API key', 'how-to/accounts-give-a-user-an-api-key'],
  ['who am I', 'how-to/api-who-am-i'],
  ['how do I stay logged in from Vite', 'how-to/client-stay-logged-in'],
  ['Next.js cookie', 'how-to/client-stay-logged-in'],
  ['how do I install the client alone', 'how-to/client-use-the-typed-client'],
  ['mcpServers', 'how-to/api-connect-an-agent'],
  ['TanStack Query', 'how-to/client-tanstack-query'],
  ['how do I test what expires', 'how-to/test-what-expires'],
  ['how do I reset a forgotten password', 'how-to/accounts-reset-a-password'],
  ['how do I avoid overwriting changes of others If-Match', 'how-to/api-avoid-lost-updates'],
  ['how do I send a webhook', 'how-to/declare-run-work-after-a-write'],
  ['how do I validate before a write', 'how-to/declare-run-code-before-a-write'],
  ['how do I add a role', 'how-to/accounts-add-users-and-roles'],
  ['who may read a record', 'how-to/declare-set-rules'],
  ['how do I add a custom action', 'how-to/declare-add-an-action'],
  ['how do I compute a field', 'how-to/declare-compute-a-field'],
  ['TOTP passkeys', 'reference/second-factors'],
  ['how do I deploy behind nginx', 'how-to/operate-proxy'],
  ['how do I rotate the secret', 'how-to/operate-rotate-secret'],
  ['how do I restore a backup', 'how-to/operate-restore'],
  ['how do I move to PostgreSQL', 'how-to/operate-move-to-postgresql'],
  ['how do I accept tokens of another issuer', 'how-to/operate-trusted-issuers'],
  ['JWKS', 'how-to/operate-public-keys'],
  ['whole-database export', 'how-to/operate-export-everything'],
  ['automatic work', 'how-to/operate-automatic-work'],
  ['group by and sum', 'reference/lists'],
  ['What does 409 mean', 'reference/errors'],
  ['how do I upload a file', 'explanation/not-offered'],
  ['soft delete', 'explanation/not-offered'],
]

describe('the search of the site', () => {
  const index = new MiniSearch<Section>({
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    searchOptions: searchOptions.miniSearch.searchOptions,
    ...searchOptions.miniSearch.options,
  })

  before(async () => {
    const md = await createMarkdownRenderer(docs, {
      highlight: (code) => `<pre><code>${code}</code></pre>`,
      anchor: { slugify: slugOf },
      config: (one) => {
        one.use(withoutComments)
        one.use(listsOfPages)
        one.use(outerLinks)
      },
    })
    for (const { path, text } of readPages()) {
      const html = await searchOptions._render(text, { relativePath: `${path}.md` }, md)
      index.addAll(sectionsOf(path, html))
    }
  })

  for (const [question, page] of questions) {
    test(`answers: ${question}`, () => {
      const hits = index.search(question).slice(0, 4)
      assert.equal(hits[0]?.id.split('#')[0], page, hits.map(({ id, score }) => `${score.toFixed(1)} ${id}`).join('\n'))
    })
  }
})
