/**
 * Every way to an account and to a session of the application with code about accounts
 * (`hooked-people.ts`). Each begins before its hook has a deed, and ends with it.
 */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import { createRecord } from '../../src/command/console-records.ts'
import { always, equal } from '../../src/resource/condition.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { password, startService, type TestResponse, type TestService } from '../../src/testing/index.ts'
import { type Issuer, makeBrowser, providerEnv, startIssuer } from '../helpers/oidc-issuer.ts'
import { makePasskey } from '../helpers/software-passkey.ts'
import { hooked, mood } from './hooked-people.ts'

export const api = '/api/v1'
let corp: Issuer
let service: TestService
let admin: string
let clubId: string

export type HookedWorld = { readonly service: TestService; readonly corp: Issuer; readonly admin: string }

export async function startWorld(): Promise<HookedWorld> {
  corp = await startIssuer()
  const env = { OIDC_PROVIDERS: 'corp', LOGIN_LINK: 'on', MFA: 'GUARD', ...providerEnv('CORP', corp.url) }
  service = await startService(hooked, { env })
  admin = (await service.admin()).token
  clubId = (await ask('POST', `${api}/clubs`, { body: { name: 'Rowing' }, token: admin })).body.id
  return { service, corp, admin }
}
export async function stopWorld(): Promise<void> {
  await service?.stop()
  await corp?.stop()
}

const ask: TestService['ask'] = (...given) => service.ask(...given)
export const send = (path: string, body: object, token?: string) => ask('POST', path, { body, ...(token && { token }) })

/** The answer to a caller. `error` is undefined where it was let in. */
export type Told = { readonly status?: number; readonly error: string | undefined; readonly text: string }
function plain({ status, body, text }: Pick<TestResponse, 'status' | 'body' | 'text'>): Told {
  return { status, error: status < 400 ? undefined : body.error, text }
}

/** The token of the last mail to this address. */
export async function mailedToken(address: string): Promise<string> {
  await service.sweep()
  const folder = join(service.folder, 'mail')
  const mails = (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => !name.startsWith('.'))
    .toSorted()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .filter((mail) => mail.includes(`To: ${address}`))
  return /\?token=([\w-]+)/.exec(mails.at(-1) ?? '')?.[1] ?? ''
}

/** A way is begun before the hook has its deed, and ends with it. */
type Way = {
  readonly way: string
  readonly provider?: string
  readonly userId?: 'admin'
  readonly isTrusted?: true
  begin(email: string): Promise<() => Promise<Told>>
}
const now = (end: (email: string) => Promise<Told>) => async (email: string) => () => end(email)

async function arrive(email: string) {
  corp.people[email] = { email, email_verified: true }
  const browser = makeBrowser()
  const back = await browser.logIn(`${service.url}/auth/oidc/corp`, email)
  return async () => {
    const { status, text } = await browser.go(back)
    return plain({ status, body: JSON.parse(text), text })
  }
}

export const signUps: Readonly<Record<string, Way>> = {
  'a stranger': {
    way: 'password',
    begin: now(async (email) => plain(await send(`${api}/users`, { email, password }))),
  },
  GraphQL: {
    way: 'password',
    begin: now(async (email) => {
      const query = `mutation { createUser(input: { email: "${email}", password: "${password}" }) { id } }`
      const { status, body, text } = await send('/graphql', { query })
      assert.equal(status, 200)
      return { error: body.errors?.[0].message, text }
    }),
  },
  'an operator': {
    way: 'operator',
    userId: 'admin',
    begin: now(async (email) => plain(await send(`${api}/users`, { email, password }, admin))),
  },
  'an import': {
    way: 'operator',
    userId: 'admin',
    begin: now(async (email) => {
      const raw = `${JSON.stringify({ email, password })}\n`
      const { body, text } = await ask('POST', `${api}/users/import`, {
        raw,
        type: 'application/x-ndjson',
        token: admin,
      })
      return { error: body.errors?.[0]?.error, text }
    }),
  },
  'the command line': {
    way: 'operator',
    isTrusted: true,
    begin: now(async (email) => {
      const { engine } = service.service
      const input = { email, password }
      const made = createRecord(engine, engine.catalog.get('user'), { input })
      return made.then(
        () => ({ error: undefined, text: '' }),
        (error) => ({ error: String(error.message), text: '' }),
      )
    }),
  },
  'an action': {
    way: 'operator',
    userId: 'admin',
    begin: now(async (email) => plain(await send(`${api}/clubs/${clubId}/hire`, { email }, admin))),
  },
  'a hook': {
    way: 'application',
    userId: 'admin',
    begin: now(async (email) => plain(await send(`${api}/clubs`, { name: email }, admin))),
  },
  'a provider': { way: 'oidc', provider: 'corp', begin: arrive },
  'an invitation': {
    way: 'invitation',
    async begin(email) {
      const invited = await send(`${api}/club-invitations`, { clubId, email, role: 'PLAYER' }, admin)
      assert.equal(invited.status, 201, invited.text)
      const token = await mailedToken(email)
      return async () => plain(await send('/auth/invitation', { token, password }))
    },
  },
}

/** Users who log in, made without the deeds of hooks. */
let people = 0
export async function userOf(role = 'USER'): Promise<{ id: string; email: string }> {
  people += 1
  const email = `logs-in${people}@example.com`
  const made = await send(`${api}/users`, { email, password, role }, admin)
  assert.equal(made.status, 201, made.text)
  return made.body
}
export const logIn = (email: string, secret = password) => send('/auth/login', { email, password: secret })
export const codeOf = (secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: service.now() })

export async function enrolled({ email }: { readonly email: string }): Promise<string> {
  const { token } = await service.logIn(email)
  const begun = await send(`${api}/factors`, { type: 'totp', currentPassword: password }, token)
  const shown = { ticket: begun.body.ticket, code: codeOf(begun.body.secret) }
  const ended = await send(`${api}/factors/finish`, shown, token)
  assert.equal(ended.status, 201, ended.text)
  service.turn(30_000)
  return begun.body.secret
}

/** Passkeys belong to a name, and not to the address 127.0.0.1. */
const named = () => service.url.replace('127.0.0.1', 'localhost')
async function sendToName(path: string, body: object, token?: string) {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const answer = await fetch(named() + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await answer.text()
  return { status: answer.status, body: JSON.parse(text), text }
}

/** Enrols a passkey. Returns how it answers the request of a log-in, which may have a ticket. */
async function enrolledPasskey({ email }: { readonly email: string }) {
  const passkey = makePasskey(named())
  const { token } = await service.logIn(email)
  const begun = await sendToName(`${api}/factors`, { type: 'passkey', currentPassword: password }, token)
  const shown = { ticket: begun.body.ticket, passkey: passkey.create(begun.body.options) }
  const ended = await sendToName(`${api}/factors/finish`, shown, token)
  assert.equal(ended.status, 201, ended.text)
  return async (ticket?: string) => {
    const { body } = await sendToName('/auth/passkey', { ...(ticket && { ticket }) })
    return sendToName('/auth/factor', { ticket: body.ticket, passkey: passkey.get(body.options) })
  }
}

type LogInWay = {
  readonly way: string
  readonly provider?: string
  readonly hasFactor?: true
  /** The user who logs in, and the end of it, which can be tried again. */
  begin(): Promise<{ readonly userId: string; end(): Promise<Told> }>
}

export const logIns: Readonly<Record<string, LogInWay>> = {
  'a password': {
    way: 'password',
    async begin() {
      const { id, email } = await userOf()
      return { userId: id, end: async () => plain(await logIn(email)) }
    },
  },
  'a password and a code': {
    way: 'password',
    hasFactor: true,
    async begin() {
      const user = await userOf()
      const secret = await enrolled(user)
      return {
        userId: user.id,
        async end() {
          const { body } = await logIn(user.email)
          assert.equal(body.next, 'totp')
          service.turn(30_000)
          return plain(await send('/auth/factor', { ticket: body.ticket, code: codeOf(secret) }))
        },
      }
    },
  },
  'a passkey alone': {
    way: 'passkey',
    hasFactor: true,
    async begin() {
      const user = await userOf()
      const answer = await enrolledPasskey(user)
      return { userId: user.id, end: async () => plain(await answer()) }
    },
  },
  'a password and a passkey': {
    way: 'password',
    hasFactor: true,
    async begin() {
      const user = await userOf()
      const answer = await enrolledPasskey(user)
      return {
        userId: user.id,
        async end() {
          const { body } = await logIn(user.email)
          assert.equal(body.next, 'passkey')
          return plain(await answer(body.ticket))
        },
      }
    },
  },
  'a first factor that is due': {
    way: 'password',
    hasFactor: true,
    async begin() {
      const { id, email } = await userOf('USER')
      await service.service.engine.records.transaction(serviceAuthor, async (tx) => {
        const resource = tx.catalog.get('user')
        const row = (await tx.lock(resource, equal('id', id)))?.row
        if (row) await tx.change(resource, row, { role: 'GUARD' })
      })
      return {
        userId: id,
        async end() {
          const { body } = await logIn(email)
          assert.equal(body.next, 'enrol')
          const begun = await send(`${api}/factors`, { ticket: body.ticket, type: 'totp' })
          const shown = { ticket: begun.body.ticket, code: codeOf(begun.body.secret) }
          return plain(await send(`${api}/factors/finish`, shown))
        },
      }
    },
  },
  'a provider': {
    way: 'oidc',
    provider: 'corp',
    async begin() {
      people += 1
      const email = `provided${people}@example.com`
      const made = await (await arrive(email))()
      assert.equal(made.status, 200, made.text)
      const id = await idOf(email)
      return { userId: id, end: async () => (await arrive(email))() }
    },
  },
  'a link': {
    way: 'link',
    async begin() {
      const { id, email } = await userOf()
      return {
        userId: id,
        async end() {
          const { deed } = mood
          mood.deed = undefined
          await send('/auth/login-link', { email })
          const token = await mailedToken(email)
          mood.deed = deed
          return plain(await send('/auth/login-link', { token }))
        },
      }
    },
  },
  'the code of the console': {
    way: 'console-code',
    async begin() {
      const { id, email } = await userOf()
      return {
        userId: id,
        async end() {
          const code = await service.service.engine.identity.consoleCodes?.issue('log-in', email)
          return plain(await send(`${api}/auth/console-code`, { code: code as string }))
        },
      }
    },
  },
}

export const resourceOf = (name: string) => service.service.engine.catalog.get(name)
export const countOf = (name: string, where = always) => service.service.engine.storage.count(resourceOf(name), where)
async function idOf(email: string): Promise<string> {
  const found = await service.service.engine.storage.find(resourceOf('user'), equal('email', email))
  return found?.row.id as string
}
