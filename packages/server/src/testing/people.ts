/** People and keys for a test, made over HTTP as any client makes them. The marks of the declarations say which resources those are. */
import type { Engine } from '../perform/engine.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Role } from '../resource/rule.ts'
import { apiPrefix } from '../rest/route.ts'
import type { Ask } from './ask.ts'

export const password = 'correct horse'
export const adminEmail = 'admin@example.com'

export type Person = { id: string; email: string; token: string; refreshToken: string }
export type People = {
  /** The first ADMIN. */
  admin(): Promise<Person>
  /** A new active user of this role, logged in. */
  person(role?: Role): Promise<Person>
  logIn(email: string, secret?: string): Promise<Person>
  /** An API key of this person, in plain text. */
  key(person: Person, extra?: Record<string, unknown>): Promise<string>
}

/** Values for the required texts that a body lacks: `{ name: 'test' }`. */
function otherTexts({ fields, requiredNames }: Resource, given: Readonly<Record<string, unknown>>) {
  const missing = requiredNames.filter((name) => !Object.hasOwn(given, name) && fields[name]?.type.isProse)
  return Object.fromEntries(missing.map((name) => [name, 'test']))
}

export function makePeople(ask: Ask, { catalog }: Engine): People {
  let people = 0
  let firstAdmin: Promise<Person> | undefined

  async function create(resource: Resource, given: Readonly<Record<string, unknown>>, token: string) {
    if (!resource.path) throw new Error(`${resource.name} has no path, so a test cannot make one`)
    const body = { ...otherTexts(resource, given), ...given }
    const reply = await ask('POST', `${apiPrefix}${resource.path}`, { body, token })
    if (reply.status !== 201) throw new Error(`making a ${resource.name}: ${reply.status} ${reply.text}`)
    return reply.body
  }

  async function logIn(email: string, secret = password): Promise<Person> {
    const reply = await ask('POST', '/auth/login', { body: { email, password: secret } })
    if (reply.status !== 200) throw new Error(`login of ${email}: ${reply.status} ${reply.text}`)
    const { userId } = JSON.parse(Buffer.from(reply.body.accessToken.split('.')[1], 'base64url').toString())
    return { id: userId, email, token: reply.body.accessToken, refreshToken: reply.body.refreshToken }
  }

  function admin(): Promise<Person> {
    firstAdmin ??= logIn(adminEmail)
    return firstAdmin
  }

  return {
    admin,
    logIn,
    async person(role = 'USER') {
      if (!catalog.login) throw new Error('No resource is marked as the one whose records log in')
      const { resource, mark } = catalog.login
      people += 1
      const email = `person${people}@example.com`
      const given = { [mark.login]: email, [mark.secret]: password, [mark.role]: role }
      await create(resource, given, (await admin()).token)
      return logIn(email)
    },
    async key(person, extra = {}) {
      if (!catalog.apiKey) throw new Error('No resource is marked as the one of API keys')
      const { resource, mark } = catalog.apiKey
      return (await create(resource, extra, person.token))[mark.token]
    },
  }
}
