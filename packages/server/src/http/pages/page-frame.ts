/** The shared frame of HTML pages: colours, and the navigation bar that links all pages. */

import { problemsPath } from '../messages/problem.ts'
import { escapeHtml } from './html-page.ts'

export const colours = `:root {
  color-scheme: light dark;
  --text: light-dark(#1c2024, #eceef0);
  --quiet: light-dark(#5b6470, #a3adb8);
  --back: light-dark(#ffffff, #111418);
  --panel: light-dark(#f5f6f8, #1b2027);
  --line: light-dark(#dfe3e8, #313943);
  --link: light-dark(#0b5cc4, #7db5ff);
  --good: light-dark(#1a6b3c, #6fd39a);
}
* { box-sizing: border-box }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif }
code, pre { font: 0.875em/1.5 ui-monospace, Menlo, Consolas, monospace }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
`

export const barStyle = `.bar { position: sticky; top: 0; z-index: 100; display: flex; flex-wrap: wrap; gap: 0.375rem 1rem; align-items: center; min-height: 3.25rem; padding: 0.375rem 1rem; border-bottom: 1px solid var(--line); background: var(--back) }
.bar nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: baseline; margin-right: auto; font-size: 0.875rem }
.bar nav a { color: var(--quiet); text-decoration: none }
.bar nav a:hover, .bar nav [aria-current] { color: var(--text); text-decoration: underline; text-underline-offset: 0.25rem }
.bar nav a:first-child { color: var(--text); font-size: 1rem; font-weight: 600 }
`

const places: readonly (readonly [string, string])[] = [
  ['/', 'Bindery'],
  ['/docs', 'API reference'],
  ['/graphql', 'GraphQL'],
  [problemsPath, 'Errors'],
]

/**
 * A form that a feature puts into the bar: its HTML, empty where there is none, and its script.
 * Pages use the script as `makeLogIn({ entered, left })`.
 */
export type BarForm = { readonly body: string; readonly script: string }

/** `here`: the path of this page. `more`: HTML at the end of the bar. */
export function barOf(here?: string, more = ''): string {
  const links = places.map(
    ([path, name]) => `<a href="${path}"${path === here ? ' aria-current="page"' : ''}>${escapeHtml(name)}</a>`,
  )
  return `<header class="bar"><nav aria-label="Pages">${links.join(' ')}</nav>
${more}</header>`
}
