/**
 * The style sheet of the page `/docs`: the navigation bar, for which Scalar leaves room by a CSS
 * property, and Scalar's colours.
 */
import { colours } from '../http/pages/page-frame.ts'
import { logInStyle } from './page-style.ts'

export const referenceStyle = `${colours}${logInStyle}
:root { --scalar-custom-header-height: 3.25rem }
noscript { display: block; padding: 2rem }
/*
 * Scalar's own colours have too little contrast, its greys above all. The element before the class
 * gives these rules precedence over its style sheet, which loads later.
 */
html body.light-mode, html .light-mode {
  --scalar-color-2: #565f6b; --scalar-color-3: #59626e;
  --scalar-sidebar-color-2: #565f6b; --scalar-sidebar-search-color: #59626e;
  --scalar-color-green: #0a6b43; --scalar-color-blue: #0b5cc4; --scalar-color-orange: #a33a00;
  --scalar-color-yellow: #755400; --scalar-color-red: #b3261e; --scalar-color-accent: #0b5cc4;
}
html body.dark-mode, html .dark-mode {
  --scalar-color-2: #b4bcc6; --scalar-color-3: #a3adb8;
  --scalar-sidebar-color-2: #b4bcc6; --scalar-sidebar-search-color: #a3adb8;
  --scalar-color-green: #6fd39a; --scalar-color-blue: #7db5ff; --scalar-color-orange: #ffa873;
  --scalar-color-yellow: #f2c94c; --scalar-color-red: #ff8a80; --scalar-color-accent: #7db5ff;
}
@media (max-width: 40rem) {
  :root { --scalar-custom-header-height: 5.75rem }
  .bar { gap: 0.25rem 1rem; min-height: 5.75rem }
}
`
