/** The page of the console: its policy, its files, its address, and its absence where it is off. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { buildConsole } from '../../../console/build.ts'
import { consoleRoutes } from '../../src/console/console-routes.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { resources as library } from '../application/resources/index.ts'
import { startService } from '../helpers/application.ts'

const html = { headers: { accept: 'text/html' } }

describe('the page of the console', () => {
  before(() => buildConsole())

  it('has a policy without exceptions, and only files of its own', async () => {
    const service = await startService()
    try {
      const page = await service.ask('GET', '/console', html)
      assert.equal(page.status, 200)
      const policy = page.headers.get('content-security-policy') ?? ''
      assert.match(
        policy,
        /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:/,
      )
      assert.doesNotMatch(policy, /unsafe|nonce|https?:/)
      const { text } = page
      const addresses = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address]) => address as string)
      const files = addresses.filter((address) => !address.startsWith('data:'))
      assert.ok(files.length > 3)
      for (const file of files) {
        const answer = await service.ask('GET', new URL(file, `${service.url}/console`).pathname)
        assert.equal(answer.status, 200, file)
        assert.match(answer.headers.get('cache-control') ?? '', /immutable/)
      }
    } finally {
      await service.stop()
    }
  })

  it('loads its files from each of its addresses, below a prefix too', async () => {
    const service = await startService()
    try {
      const deep = '/console/articles/1/letters/2/lines/3/notes'
      for (const place of ['/console', '/console/articles', '/console/articles/1', '/console/articles/', deep]) {
        const { text } = await service.ask('GET', place, html)
        const script = /<script type="module" src="([^"]+)"/.exec(text)?.[1] as string
        const below = new URL(script, `https://shop.example/prefix${place}`).pathname
        assert.match(below, /^\/prefix\/console\/assets\/main-\w+\.js$/)
      }
      assert.equal((await service.ask('GET', '/console/assets/none.js', html)).status, 404)
      assert.equal((await service.ask('GET', '/consoles/articles', html)).status, 404)
      const sent = await service.ask('POST', '/console/articles/1/letters')
      assert.deepEqual([sent.status, sent.headers.get('allow')], [405, 'GET, HEAD, OPTIONS'])
    } finally {
      await service.stop()
    }
  })

  it('is refused at a path of a resource', () => {
    const settings = { currency: 'USD', signUp: 'open', consolePath: '/cards' } as const
    const catalog = makeCatalog(library)
    const [atRoot] = [...catalog.resources.values()].filter((one) => one.atRoot)
    const named = { ...settings, consolePath: atRoot?.path ?? '' }
    assert.throws(() => consoleRoutes({ catalog, settings: named }), /CONSOLE=.* is the path of/)
    assert.doesNotThrow(() => consoleRoutes({ catalog, settings }))
  })

  it('is at the path that CONSOLE names, and nowhere where it is off', async () => {
    const moved = await startService({ CONSOLE: '/admin' })
    const off = await startService({ CONSOLE: 'off' })
    try {
      assert.equal((await moved.ask('GET', '/admin', html)).status, 200)
      assert.equal((await moved.ask('GET', '/console', html)).status, 404)
      assert.equal((await off.ask('GET', '/console', html)).status, 404)
      assert.equal((await off.ask('GET', '/console/assets/main.js')).status, 404)
    } finally {
      await moved.stop()
      await off.stop()
    }
  })
})
