/**
 * The configuration of the documentation site: `npm run docs`. Its pages are docs/, as in the
 * package; a dead link fails the build. Its pages send no request to another server.
 */
import { defineConfig } from 'vitepress'
import { copyLinkedFiles, markdown } from '../markdown.ts'
import { searchOptions } from '../search-options.ts'
import { makeSidebar } from '../sidebar.ts'

// biome-ignore lint/style/noDefaultExport: VitePress reads the default export
export default defineConfig({
  title: 'Bindery',
  description: 'A resource API server that you host yourself',
  srcDir: '../docs',
  appearance: true,
  lastUpdated: false,
  markdown,
  buildEnd: ({ outDir }) => copyLinkedFiles(outDir),
  themeConfig: {
    nav: [
      { text: 'Tutorial', link: '/tutorial/library' },
      { text: 'How to', link: '/how-to/' },
      { text: 'Reference', link: '/reference/' },
      { text: 'Explanation', link: '/explanation/' },
    ],
    sidebar: makeSidebar(),
    outline: [2, 3],
    search: { provider: 'local', options: searchOptions },
  },
})
