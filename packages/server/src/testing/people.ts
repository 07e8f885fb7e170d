/**
 * Creates people and API keys for a test of any application. It uses HTTP where the first ADMIN may
 * create users and a person keys; otherwise it acts as the operator. The marks in the declarations
 * name the resources.
 */

import { makeTokens } from '../accounts/passwords/secrets-of-records.ts'
import type { ServedEngine } from '../accounts/served-engine.ts'
import { findScopeProblem } from '../policy/scope.ts'
import type { ApiKeyMark, LoginMark } from '../resource/accounts/identity-mark.ts'
import type { Catalog, MarkedTable, Resource } from '../resource/catalog.ts'
import { apiPrefix } from '../resource/words/api-prefix.ts'
import { withArticle } from '../resource/words/names.ts'
import type { Ask } from './ask.ts'
import { storedValues, storeFresh } from './fixtures.ts'
import { password, type Sampler, type SampleValues, statusOf } from './fresh-records.ts'
import { usualRole } from './usual-role.ts'

export const adminEmail = 'admin@example.com'

export type TestPerson = { id: string; email: string; token: string; refreshToken: string }
export type TestPeople = {
  /** The first user, who has the operator's role. */
  admin(): Promise<TestPerson>
  /**
   * A new active user of this role, logged in. By default it is the lowest; without a lowest one
   * the default of the field, or else the first.
   */
  person(role?: string): Promise<TestPerson>
  logIn(email: string, secret?: string): Promise<TestPerson>
  /**
   * A new API key of this person, in plain text. `extra`: values of its record, such as `scopes`.
   */
  key(person: Pick<TestPerson, 'id'> & Partial<TestPerson>, extra?: Readonly<Record<string, unknown>>): Promise<string>
}

/** Throws an `Error` that says what to do in an application without users. */
function loginOf({ login }: Catalog): MarkedTable<LoginMark> {
  if (login) return login
  throw new Error('This application has no users (accounts() has them): ask without a credential')
}

/** Throws an `Error` that says what to do in an application without keys. */
function apiKeyOf(catalog: Catalog): MarkedTable<ApiKeyMark> {
  loginOf(catalog)
  if (catalog.apiKey) return catalog.apiKey
  throw new Error(
    'This application has no API keys (accounts({ …, keys: true }) has them): ask with the token of a person, { token: person.token }',
  )
}

/** Values for the required texts that a body lacks: `{ name: 'test' }`. */
function otherTexts({ fields, requiredNames }: Resource, given: SampleValues): SampleValues {
  const missing = requiredNames.filter((name) => !Object.hasOwn(given, name) && fields[name]?.type.isProse)
  return Object.fromEntries(missing.map((name) => [name, 'test']))
}

type MadePerson = { readonly resource: Resource; readonly given: SampleValues; readonly token: string }

/**
 * The response to a create by this caller; undefined where there is no route for it, or it is
 * refused.
 */
async function createAsClient(ask: Ask, { resource, given, token }: MadePerson): Promise<SampleValues | undefined> {
  const { path, access } = resource
  if (path === undefined || !access.create) return undefined
  const body = { ...otherTexts(resource, given), ...given }
  const reply = await ask('POST', `${apiPrefix}${path}`, { body, token })
  return reply.status === 201 ? reply.body : undefined
}

/**
 * The token of a key that is stored without access rules. Throws an `Error` that names what is
 * wrong.
 */
async function storeKey(sampler: Sampler, ownerId: string, extra: SampleValues): Promise<string> {
  const { catalog } = sampler.engine
  const { resource, mark } = apiKeyOf(catalog)
  const values = storedValues(resource, extra)
  const scopes = values[mark.scopes]
  const problem = Array.isArray(scopes) && findScopeProblem(catalog, scopes)
  if (problem) throw new Error(`${withArticle(resource.name)}: ${problem}`)
  const token = makeTokens(catalog, resource, values)?.[mark.token] as string
  await storeFresh(sampler, { resource, ownerId, given: { ...values, [mark.owner]: ownerId } })
  return token
}

export function makeTestPeople(ask: Ask, engine: ServedEngine, sampling: () => Promise<Sampler>): TestPeople {
  const { catalog } = engine
  let people = 0
  let firstAdmin: Promise<TestPerson> | undefined

  async function logIn(email: string, secret = password): Promise<TestPerson> {
    loginOf(catalog)
    const reply = await ask('POST', '/auth/login', { body: { email, password: secret } })
    if (reply.status !== 200) throw new Error(`login of ${email}: ${reply.status} ${reply.text}`)
    const { userId } = JSON.parse(Buffer.from(reply.body.accessToken.split('.')[1], 'base64url').toString())
    return { id: userId, email, token: reply.body.accessToken, refreshToken: reply.body.refreshToken }
  }

  function admin(): Promise<TestPerson> {
    firstAdmin ??= logIn(adminEmail)
    return firstAdmin
  }

  return {
    admin,
    logIn,
    async person(role = usualRole(catalog)) {
      const { resource, mark } = loginOf(catalog)
      people += 1
      const email = `person${people}@example.com`
      const given = { [mark.login]: email, [mark.role]: role }
      const { token } = await admin()
      if (!(await createAsClient(ask, { resource, given: { ...given, [mark.secret]: password }, token })))
        await storeFresh(await sampling(), {
          resource,
          ownerId: '',
          given: { ...given, ...statusOf({ resource, mark }, true) },
        })
      return logIn(email)
    },
    async key({ id, token }, extra = {}) {
      const { resource, mark } = apiKeyOf(catalog)
      const made = token === undefined ? undefined : await createAsClient(ask, { resource, given: extra, token })
      return (made?.[mark.token] as string | undefined) ?? storeKey(await sampling(), id, extra)
    },
  }
}
