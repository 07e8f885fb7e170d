/**
 * Faulty OpenID providers: the caller gets 502 without details, the log has the reason, and a
 * response with missing or wrong claims creates no account.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it, type TestContext } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { always } from '../../src/resource/condition.ts'
import { startService as startOf, type TestService } from '../../src/testing/index.ts'
import { resources } from '../helpers/application.ts'
import { clientId, makeBrowser, providerEnv } from '../helpers/oidc-issuer.ts'
import { links } from '../service/people.ts'

/** A provider whose tokens say what the test wants, and which takes a code as often as it comes. */
async function startLoose(say: () => object) {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  let nonce = ''
  const server = createServer(async (request, response) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const idToken = () =>
      new SignJWT({ email_verified: true, nonce, ...say() })
        .setProtectedHeader({ alg: 'RS256', kid: 'one' })
        .setIssuer(url)
        .setAudience(clientId)
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey)
    const bodies: Record<string, () => unknown> = {
      '/keys': () => ({ keys: [jwk] }),
      '/token': async () => ({ access_token: 'any', token_type: 'Bearer', expires_in: 60, id_token: await idToken() }),
      '/.well-known/openid-configuration': () => ({
        issuer: url,
        authorization_endpoint: `${url}/away`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      }),
    }
    const body = await bodies[request.url ?? '']?.()
    response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    /** The address and the cookie with which a browser comes back. */
    async begin({ ask }: TestService) {
      const begun = await ask('GET', '/auth/oidc/loose')
      const away = new URL(begun.headers.get('location') ?? '')
      nonce = away.searchParams.get('nonce') ?? ''
      const path = `/auth/oidc/loose/callback?code=any&state=${away.searchParams.get('state')}`
      return { path, cookie: begun.headers.getSetCookie()[0]?.split(';')[0] as string }
    },
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

it('a provider that says less or more than it should makes no account and no second session', async (t: TestContext) => {
  let said: object = {}
  const loose = await startLoose(() => said)
  const env = { OIDC_PROVIDERS: 'loose', ...providerEnv('LOOSE', loose.url) }
  const service = await startOf([...resources, links], { env })
  t.after(async () => {
    await service.stop()
    loose.stop()
  })
  const { engine } = service.service
  const count = (name: string) => engine.storage.count(engine.catalog.get(name), always)
  const answer = async (path: string, cookie: string) => {
    const { status, text } = await makeBrowser().go(service.url + path, { headers: { cookie } })
    return { status, body: JSON.parse(text) }
  }
  const arrive = async (claims: object) => {
    said = claims
    const { path, cookie } = await loose.begin(service)
    return answer(path, cookie)
  }
  const refusal = { error: 'The log-in could not be checked; start again' }
  const email = 'one@example.com'
  for (const sub of [
    '',
    ' ',
    '\t\n',
    '\u200b',
    '\0',
    'a\0b',
    '\ud800',
    'x'.repeat(256),
    7,
    null,
    ['a'],
    {},
    undefined,
  ]) {
    const reply = await arrive({ sub, email })
    assert.deepEqual([reply.status, reply.body], [401, refusal], JSON.stringify(sub))
  }
  assert.deepEqual([await count('member'), await count('link'), await count('visit')], [1, 0, 0])

  said = { sub: 'Ann', email }
  const { path, cookie } = await loose.begin(service)
  const replies = await Promise.all(Array.from({ length: 4 }, () => answer(path, cookie)))
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 401, 401, 401])
  assert.deepEqual((await answer(path, cookie)).body, refusal)
  assert.deepEqual([await count('member'), await count('link'), await count('visit')], [2, 1, 1])

  const other = await arrive({ sub: 'ann', email: 'two@example.com' })
  assert.deepEqual(
    [other.status, other.body],
    [403, { error: 'This log-in differs from that of another account by the case of letters alone' }],
  )
  assert.equal((await arrive({ sub: 'Ann' })).status, 200)
})

it('providers that do not answer as they should are 502, and the log has why', async () => {
  const answers: Record<string, (url: string) => [number, Record<string, string>, string]> = {
    large: (url) => [
      200,
      { 'content-type': 'application/json' },
      JSON.stringify({ issuer: url, x: 'x'.repeat(300_000) }),
    ],
    away: () => [302, { location: 'http://127.0.0.1:1/' }, ''],
    html: () => [200, { 'content-type': 'text/html' }, '<h1>secret inside</h1>'],
    other: () => [200, { 'content-type': 'application/json' }, JSON.stringify({ issuer: 'https://other.example' })],
  }
  const servers = await Promise.all(
    Object.values(answers).map(async (answer) => {
      const server = createServer((_, response) => {
        const [status, headers, text] = answer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
        response.writeHead(status, headers).end(text)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return server
    }),
  )
  const names = [...Object.keys(answers), 'gone']
  const urls = [
    ...servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    'http://127.0.0.1:1',
  ]
  const env = Object.assign(
    { OIDC_PROVIDERS: names.join(',') },
    ...names.map((name, i) => providerEnv(name.toUpperCase(), urls[i] as string)),
  )
  const bad = await startOf([...resources, links], { env })
  for (const name of names) {
    const reply = await bad.ask('GET', `/auth/oidc/${name}`)
    assert.deepEqual(
      [reply.status, reply.body],
      [502, { error: 'The provider of this log-in does not answer as it should; try again later' }],
      name,
    )
  }
  assert.equal(bad.logged.filter((line) => line.startsWith('error The provider of this log-in')).length, names.length)
  await bad.stop()
  for (const server of servers) {
    server.close()
    server.closeAllConnections()
  }
})
