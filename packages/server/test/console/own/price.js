/** A cell of an application's own. It fails for a price of nothing, which leaves the list whole. */

/** @type {import('bindery-server/client').ConsoleMount<import('bindery-server/client').ConsoleCellContext, any>} */
export function mount(element, { value, record }) {
  if (value === 0) throw new Error('There is no price')
  element.textContent = `${value} for ${record.title}`
  return () => element.replaceChildren()
}
