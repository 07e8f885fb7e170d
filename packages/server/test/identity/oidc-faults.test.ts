/** OpenID providers that do not answer as they should: callers learn that, and nothing else, and nothing is followed or read without end. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { startService as startOf } from '../../src/testing/index.ts'
import { resources } from '../helpers/application.ts'
import { providerEnv } from '../helpers/oidc-issuer.ts'
import { links } from '../service/linked.ts'

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
