/** The style of the pages that links in mails lead to. */
import { colours } from '../../http/pages/page-frame.ts'

export const accountStyle = `${colours}
main { max-width: 26rem; margin: 0 auto; padding: 4rem 1.25rem }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 0.5rem }
p { margin: 0.5rem 0 }
form { display: grid; gap: 1rem; margin: 1.5rem 0 }
[hidden] { display: none !important }
summary { color: var(--link); cursor: pointer }
details button { border: 1px solid var(--line); background: var(--panel); color: var(--text) }
label { display: grid; gap: 0.25rem }
input { padding: 0.5rem 0.625rem; border: 1px solid var(--line); border-radius: 6px; background: var(--panel); color: var(--text); font: inherit }
button { padding: 0.5rem 0.75rem; border: 0; border-radius: 6px; background: var(--link); color: var(--back); font: inherit; font-weight: 600; cursor: pointer }
[role=status] { font-weight: 600 }
`
