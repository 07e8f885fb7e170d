/**
 * The code in the fragment of the address that a start prints. It is taken out of the address bar
 * before anything else, and kept in memory until it is used.
 */
import { client } from '../api/client.ts'

const said = /^#(code|take-over)=([\w-]+)$/.exec(location.hash)
if (said) history.replaceState(null, '', location.pathname + location.search)

export const logInCode = said?.[1] === 'code' ? said[2] : undefined
/** The first account of a new folder: it gets an address and a password. */
export const takeOverCode = said?.[1] === 'take-over' ? said[2] : undefined

export async function enterByCode(code: string, chosen: { email?: string; password?: string } = {}): Promise<void> {
  await client.send('POST', '/api/v1/auth/console-code', { body: { code, ...chosen } })
  // The refresh token is in the cookie of the answer.
  if (!(await client.resume())) throw new Error('There is no session')
}
