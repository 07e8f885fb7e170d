/** A widget of an application's own: a slider in the form, whose value is sent with it. */

/** @type {import('bindery-server/client').ConsoleMount<import('bindery-server/client').ConsoleWidgetContext, any>} */
export function mount(element, { field, value, change }) {
  const input = element.ownerDocument.createElement('input')
  input.type = 'range'
  input.max = '100'
  input.value = String(value ?? 0)
  input.setAttribute('aria-label', `${field.label} in centimetres`)
  input.addEventListener('input', () => change(Number(input.value)))
  element.append(input)
}
