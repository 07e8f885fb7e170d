/** The style sheet of the page at `/status`. */
import { colours } from '../http/pages/page-frame.ts'
import { logInStyle } from './page-style.ts'

export const statusStyle = `${colours}${logInStyle}
:root {
  --first: light-dark(#0b5cc4, #7db5ff);
  --second: light-dark(#b3261e, #ff8a80);
  --third: light-dark(#8a5a00, #f2b84b);
}
[hidden] { display: none !important }
#message { color: var(--second) }
#line { display: none; color: var(--line) }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 0.75rem }
#intro { margin: 0; color: var(--quiet) }
main { max-width: 84rem; margin: 0 auto; padding: 1rem }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 0.75rem; margin: 0 0 1rem }
dl div { display: flex; flex-direction: column-reverse; justify-content: flex-end; padding: 0.625rem 0.75rem; border: 1px solid var(--line); border-radius: 8px; background: var(--panel) }
dt { color: var(--quiet); font-size: 0.8125rem }
dd { margin: 0; font-size: 1.375rem; font-variant-numeric: tabular-nums; white-space: nowrap }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 0.75rem }
figure { margin: 0; padding: 0.625rem 0.75rem 0.25rem; min-width: 0; border: 1px solid var(--line); border-radius: 8px }
figcaption { color: var(--quiet); font-size: 0.8125rem }
.chart { min-height: 150px; min-width: 0; overflow: hidden }
.key { margin-left: 0.5rem; white-space: nowrap }
.key::before { content: ''; display: inline-block; width: 0.75rem; height: 0.1875rem; margin-right: 0.25rem; vertical-align: middle; background: currentcolor }
.key-0 { color: var(--first) }
.key-1 { color: var(--second) }
.key-2 { color: var(--third) }
.tables { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 0.75rem 1.5rem }
.tables section { min-width: 0 }
.tables section:first-child { grid-column: 1 / -1 }
h2 { font-size: 1rem; margin: 1.25rem 0 0.375rem }
.wide { overflow-x: auto }
table { width: 100%; border-collapse: collapse; font-size: 0.875rem; font-variant-numeric: tabular-nums }
th { text-align: left; font-weight: 400; color: var(--quiet) }
th, td { padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid var(--line); white-space: nowrap }
th:not(:first-child), td:not(:first-child) { text-align: right; padding-right: 0; padding-left: 0.75rem }
td:first-child { white-space: normal; overflow-wrap: anywhere }
meter { width: 6rem }
@media (max-width: 40rem) {
  meter { display: none }
  th:not(:first-child), td:not(:first-child) { padding-left: 0.375rem }
  /* The name of a route is on a line of its own above its numbers. */
  table:has(#routes) tr { display: grid; grid-template-columns: repeat(4, 1fr); border-bottom: 1px solid var(--line) }
  table:has(#routes) :is(th, td) { border: none }
  table:has(#routes) :is(th, td):first-child { grid-column: 1 / -1; padding-bottom: 0 }
}
.version { color: var(--quiet); font-size: 0.8125rem }
noscript { display: block; padding: 2rem }
`
