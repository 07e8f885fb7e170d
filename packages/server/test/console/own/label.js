/** An action of an application's own: a dialog that is closed by its button. */

/** @type {import('bindery-server/client').ConsoleMount<import('bindery-server/client').ConsoleActionContext, any>} */
export function mount(element, { record, client, notify, close }) {
  const button = element.ownerDocument.createElement('button')
  button.textContent = `Print the label of ${record.title}`
  button.onclick = async () => {
    await client.send('PATCH', `/api/v1/editions/${record.id}`, { body: { cost: 3 } })
    notify('Printed')
    close()
  }
  element.append(button)
}
