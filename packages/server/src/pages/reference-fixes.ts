/**
 * Corrects the accessibility findings of axe in Scalar's page `/docs` after each time that it
 * draws: one row for each rule. Remove a row that finds nothing any more.
 */
export const mendsScript = `
const label = (element, text) => element.setAttribute('aria-label', text)
const mends = [
  // button-name: an icon button without a visible text.
  ['button[class*=copy]:not([aria-label])', (button) => label(button, 'Copy')],
  // aria-valid-attr-value: it controls a missing hint.
  ['button[class*=copy][aria-controls]', (button) => document.getElementById(button.getAttribute('aria-controls')) ?? button.removeAttribute('aria-controls')],
  // label-content-name-mismatch: "Show More" with the name "Show all Books endpoints".
  ['button.show-more[aria-label^="Show all"]', (button) => label(button, button.textContent.trim() + ': ' + button.getAttribute('aria-label'))],
  // scrollable-region-focusable: a list that scrolls by mouse alone.
  ['ul.endpoints:not([tabindex])', (list) => list.setAttribute('tabindex', '0')],
  // aria-prohibited-attr: a button with a name and the role none.
  ['button[role=none]', (button) => button.removeAttribute('role')],
  // aria-required-attr: a combobox that does not say whether its list is open.
  ['[role=combobox]:not([aria-expanded])', (box) => box.setAttribute('aria-expanded', 'false')],
  ['[aria-label^="undefined "]', (box) => label(box, box.getAttribute('aria-label').slice(10))],
  // aria-input-field-name: the response as text.
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
