/** A cached response has the same headers as a new one, for every form of the request. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService, type TestService } from '../helpers/application.ts'
import { exchange } from '../helpers/wire.ts'

const origin = 'https://app.example'
type Both = { readonly keeping: TestService; readonly making: TestService }
let both: Readonly<Record<'alone' | 'shared', Both>>

async function startFilled(env: Record<string, string>): Promise<TestService> {
  const service = await startService(env)
  const editor = await service.person('EDITOR')
  for (const title of ['One', 'Two', 'Three'])
    await service.ask('POST', '/api/v1/editions', { body: { title, price: 10, subject: 'Maps' }, token: editor.token })
  return service
}

async function startBoth(env: Record<string, string>): Promise<Both> {
  return { keeping: await startFilled(env), making: await startFilled({ ...env, KEEP_ANSWERS: 'false' }) }
}

before(async () => {
  both = { alone: await startBoth({}), shared: await startBoth({ CORS_ORIGINS: origin }) }
})
after(async () => {
  for (const { keeping, making } of Object.values(both)) {
    await keeping.stop()
    await making.stop()
  }
})

/** Headers that differ between two services, or two moments. */
const own = new Set(['date', 'x-request-id', 'etag'])

async function headOf({ url }: TestService, version: string, lines: readonly string[]) {
  const head = [`GET /api/v1/editions?sort=title&limit=1&page=2 HTTP/${version}`, 'Host: localhost', ...lines]
  const { status, headers } = await exchange(url, `${head.join('\r\n')}\r\n\r\n`)
  assert.equal(status, 200)
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !own.has(name)))
}

const asked: Readonly<Record<string, readonly [string, readonly string[]]>> = {
  'on a connection that stays open': ['1.1', []],
  'on one that is closed': ['1.1', ['Connection: close']],
  'by HTTP/1.0': ['1.0', []],
  'from a page of another origin': ['1.1', [`Origin: ${origin}`]],
  compressed: ['1.1', ['Accept-Encoding: gzip']],
}

for (const [how, [version, lines]] of Object.entries(asked))
  test(`the head of a list ${how}`, async () => {
    for (const { keeping, making } of Object.values(both)) {
      const made = await headOf(making, version, lines)
      assert.match(made.link as string, /rel="first".*rel="prev".*rel="next".*rel="last"/)
      assert.equal(made['x-total-count'], '3')
      for (let times = 0; times < 4; times += 1) assert.deepEqual(await headOf(keeping, version, lines), made)
    }
  })
