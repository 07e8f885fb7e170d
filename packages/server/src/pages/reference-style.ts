/** The style sheet of the page at `/docs`: the bar, for which the reference leaves room by a property of its own, and the colours of the reference. */
import { colours } from '../http/page-frame.ts'
import { logInStyle } from './page-style.ts'

export const referenceStyle = `${colours}${logInStyle}
:root { --scalar-custom-header-height: 3.25rem }
noscript { display: block; padding: 2rem }
@media (max-width: 40rem) {
  :root { --scalar-custom-header-height: 5.75rem }
  .bar { gap: 0.25rem 1rem; min-height: 5.75rem }
}
`
