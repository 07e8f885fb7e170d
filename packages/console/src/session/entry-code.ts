/**
 * The fragment of the address: a code that the start printed, or the next step after a provider's
 * log-in. It is taken out of the address bar before anything else, and kept in memory.
 */
import { type NextStep, nextStepIn } from 'bindery-server/client'
import { client } from '../api/client.ts'
import { keepMount } from '../api/session-mount.ts'

const { hash } = location
const said = /^#(code|take-over)=([\w-]+)$/.exec(hash)

export const logInCode = said?.[1] === 'code' ? said[2] : undefined
/** The first account of a new folder: it gets an address and a password. */
export const takeOverCode = said?.[1] === 'take-over' ? said[2] : undefined
export const providerStep: NextStep | undefined = nextStepIn(hash)

if (said || providerStep) history.replaceState(null, '', location.pathname + location.search)

/** Goes on with the session that is in the cookie. */
export async function resume(): Promise<void> {
  if (!(await client.resume())) throw new Error('There is no session')
}

export async function enterByCode(code: string, chosen: { email?: string; password?: string } = {}): Promise<void> {
  await client.send('POST', '/api/v1/auth/console-code', { body: { code, ...chosen } })
  keepMount('')
  await resume()
}
