/** The opening of tests of live lists: the library, its administrator, Ann, and their requests. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { type AskOptions, startService, type TestPerson, type TestService } from 'bindery-server/test'
import { library } from '../library.ts'
import type { LiveClient } from './live-client.ts'

type Held = { readonly token: string }

export const by = ({ token }: Held): AskOptions => ({ token })
export const bearer = ({ token }: Held) => ({ authorization: `Bearer ${token}` })

export type LiveLibrary = {
  readonly own: TestService
  readonly admin: TestPerson
  readonly ann: TestPerson
  /** Cut at the end. Returns it. */
  opened(client: LiveClient): LiveClient
  api(method: string, path: string, options?: AskOptions): ReturnType<TestService['ask']>
  patch(path: string, body: object): ReturnType<TestService['ask']>
  /** By the administrator. Returns the id. */
  make(path: string, values: object): Promise<string>
  note(values: object): Promise<string>
}

/** Ends with the tests of the file. */
export async function openLibrary(): Promise<LiveLibrary> {
  const own = await startService(library())
  const clients: LiveClient[] = []
  after(async () => {
    for (const one of clients) await one.cut()
    await own.stop()
  })
  const admin = await own.admin()
  const ann = await own.person()
  const api: LiveLibrary['api'] = (method, path, options = {}) => own.ask(method, `/api/v1${path}`, options)
  const make: LiveLibrary['make'] = async (path, values) => {
    const { status, body, text } = await api('POST', path, { body: values, ...by(admin) })
    assert.equal(status, 201, text)
    return body.id
  }
  return {
    own,
    admin,
    ann,
    opened(client) {
      clients.push(client)
      return client
    },
    api,
    patch: (path, body) => api('PATCH', path, { body, ...by(admin) }),
    make,
    note: (values) => make('/notes', values),
  }
}
