/** A page of an application's own: it asks the API as the person, and fills an element. */

/** @type {import('bindery-server/client').ConsoleMount<import('bindery-server/client').ConsolePageContext, any>} */
export async function mount(element, { client, language, notify, go }) {
  const { body } = await client.send('GET', '/api/v1/editions', { query: { page: 1, limit: 1 } })
  element.textContent = `${language === 'de' ? 'Ausgaben' : 'Editions'}: ${body.meta.total}`
  const button = element.ownerDocument.createElement('button')
  button.textContent = 'Tell'
  button.onclick = () => {
    notify('Told')
    go('/editions')
  }
  element.append(button)
}
