/**
 * The site's search finds the right page first for questions that readers ask. The test indexes the
 * pages as VitePress's local search does, by headings and with the site's options, without a build.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import MiniSearch from 'minisearch'
import { createMarkdownRenderer } from 'vitepress'
import { markdown } from './markdown.ts'
import { searchOptions } from './search-options.ts'
import { questions } from './search-questions.ts'
import { docs, readPages } from './sidebar.ts'

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
      ...markdown,
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
