/** Style sheets of the pages, light or dark by the reader's system setting. */
import { barStyle, colours } from '../http/pages/page-frame.ts'

export const welcomeStyle = `${colours}
a { color: var(--link) }
main { max-width: 68rem; margin: 0 auto; padding: 3rem 1.25rem 4rem }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 }
h1 small { font-size: 1rem; font-weight: 400; color: var(--quiet) }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.75rem }
h3 { font-size: 1rem; margin: 0 }
p { margin: 0.5rem 0 }
.lead { color: var(--quiet); font-size: 1.125rem }
nav { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: 0.75rem; margin-top: 1.5rem }
nav a { display: block; padding: 1rem; border: 1px solid var(--line); border-radius: 8px; text-decoration: none; background: var(--panel) }
nav a:hover { border-color: var(--link) }
nav b, nav span { display: block }
nav span { color: var(--quiet); font-size: 0.875rem }
pre { margin: 0.5rem 0; padding: 0.625rem 0.75rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; background: var(--panel) }
.resources { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(30rem, 100%), 1fr)); gap: 1rem 1.5rem; margin: 0; padding: 0; list-style: none }
.resources li { display: grid; grid-template-columns: 1fr auto; align-items: baseline; align-content: start; min-width: 0 }
.resources pre { grid-column: 1 / -1; min-width: 0; white-space: pre-wrap; overflow-wrap: anywhere }
.facts { margin: 0; color: var(--quiet); font-size: 0.875rem }
.who { margin-left: 0.5rem; padding: 0.0625rem 0.5rem; border: 1px solid var(--line); border-radius: 99px }
.who.none { color: var(--good) }
`

/** The log-in form in the navigation bar. */
export const logInStyle = `${barStyle}
.bar form, .bar p { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; margin: 0; min-width: 0; font-size: 0.875rem }
.bar input { width: 11rem; min-width: 4rem; flex: 1; padding: 0.3125rem 0.5rem; border: 1px solid var(--line); border-radius: 6px; background: var(--panel); color: var(--text); font: inherit }
.bar ::placeholder { color: var(--quiet); opacity: 1 }
.bar button { padding: 0.3125rem 0.75rem; border: 1px solid var(--line); border-radius: 6px; background: var(--panel); color: var(--text); font: inherit; white-space: nowrap; cursor: pointer }
.bar [role=status]:empty, .bar [hidden] { display: none }
@media (max-width: 40rem) { .bar form { width: 100%; flex-wrap: nowrap } }
`
