/** What the scripts of several pages have in common, as text: it runs in browsers. */

/** `post(path, body)`: the JSON of the answer; throws an `Error` with the server's sentence. */
export const postFunction = `async function post(path, body) {
  const headers = body ? { 'content-type': 'application/json' } : {}
  const answer = await fetch(path, { method: 'POST', headers, body: body && JSON.stringify(body) })
  const value = answer.status === 204 ? {} : await answer.json()
  if (!answer.ok) throw new Error(value.error)
  return value
}
`
