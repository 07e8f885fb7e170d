/**
 * The findings of axe in the markup of the API reference at `/docs`, mended in the page after each
 * time that it draws: a row for each rule. A row that finds nothing any more can go.
 */
export const mendsScript = `
const label = (element, text) => element.setAttribute('aria-label', text)
const mends = [
  // button-name: a button of a picture, whose text is hidden.
  ['button[class*=copy]:not([aria-label])', (button) => label(button, 'Copy')],
  // aria-valid-attr-value: it controls a hint that is not there.
  ['button[class*=copy][aria-controls]', (button) => document.getElementById(button.getAttribute('aria-controls')) ?? button.removeAttribute('aria-controls')],
  // label-content-name-mismatch: "Show More" with the name "Show all Books endpoints".
  ['button.show-more[aria-label^="Show all"]', (button) => label(button, button.textContent.trim() + ': ' + button.getAttribute('aria-label'))],
  // scrollable-region-focusable: a list that only a mouse scrolls.
  ['ul.endpoints:not([tabindex])', (list) => list.setAttribute('tabindex', '0')],
  // aria-prohibited-attr: a button with a name, and the role of nothing.
  ['button[role=none]', (button) => button.removeAttribute('role')],
  // aria-required-attr: a box that does not say whether its list is open.
  ['[role=combobox]:not([aria-expanded])', (box) => box.setAttribute('aria-expanded', 'false')],
  ['[aria-label^="undefined "]', (box) => label(box, box.getAttribute('aria-label').slice(10))],
  // aria-input-field-name: the answer, as text.
  ['.cm-content[role=textbox]:not([aria-label])', (text) => label(text, 'Text')],
]
let isDue = false
function mend() {
  isDue = false
  for (const [selector, change] of mends) document.querySelectorAll(selector).forEach(change)
}
new MutationObserver(() => {
  if (!isDue) requestAnimationFrame(mend)
  isDue = true
}).observe(document.body, { childList: true, subtree: true, attributeFilter: ['role', 'aria-label', 'aria-expanded'] })
`
