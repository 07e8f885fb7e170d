/**
 * Live lists of React, react-admin and Refine in Chromium. They change while they are looked at. A
 * killed server comes back, and they are right without a reload.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { build } from 'esbuild'
import {
  adminEmail,
  databaseOf,
  password,
  removeDatabase,
  removeFolder,
  spawnServer,
  temporaryFolder,
} from '../../../src/testing/index.ts'
import { freePort } from '../../../src/testing/postgres.ts'
import { launchChromium } from '../../helpers/launch-chromium.ts'
import { shortOr } from '../../helpers/long.ts'
import { until } from '../../helpers/until.ts'

const kills = shortOr(1, 10)
const names = ['store', 'admin', 'refine']
const folder = temporaryFolder()
after(async () => {
  await removeDatabase(folder)
  removeFolder(folder)
})

async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'live-screens.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  return outputFiles[0]?.text ?? ''
}

test('live screens are right while others write, and after the server was killed', { timeout: 480_000 }, async () => {
  const env = {
    DATA_DIR: folder,
    PORT: String(await freePort()),
    ADMIN_EMAIL: adminEmail,
    ADMIN_PASSWORD: password,
    ...(await databaseOf(folder)),
  }
  const start = () => spawnServer({ env, command: ['library-server.ts'], cwd: join(import.meta.dirname, '..') })
  let server = start()
  after(() => server.stop('SIGKILL'))
  const url = await server.ready()
  const ask = async (method: string, path: string, body: object, token?: string) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
    const reply = await fetch(`${url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) })
    assert.ok(reply.ok, await reply.clone().text())
    return (await reply.json()) as { readonly id: string; readonly accessToken: string }
  }
  const logIn = async () => (await ask('POST', '/auth/login', { email: adminEmail, password })).accessToken

  const browser = await launchChromium()
  after(() => browser.close())
  const page = await browser.newPage()
  const script = await bundled()
  const html =
    '<!doctype html><title>Live</title><div id="screens"></div><script type="module" src="/screens.js"></script>'
  await page.route(`${url}/screens*`, (route) =>
    route.fulfill(
      route.request().url().endsWith('.js')
        ? { contentType: 'text/javascript', body: script }
        : { contentType: 'text/html', body: html },
    ),
  )
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  let loads = 0
  page.on('load', () => {
    loads += 1
  })
  await page.addInitScript(`window.loggedIn = ${JSON.stringify({ email: adminEmail, password })}`)
  const shows = async (titles: string) => {
    let shown: readonly unknown[] = []
    const isShown = async () => {
      const texts = names.map((name) => `document.getElementById('${name}')?.textContent`)
      shown = await page.evaluate<unknown[]>(`[${texts.join(',')}]`)
      return shown.every((one) => one === titles)
    }
    await until(isShown, () => `all show ${titles}: ${JSON.stringify([shown, errors])}`)
  }

  let token = await logIn()
  const first = (await ask('POST', '/notes', { title: 'a' }, token)).id
  await page.goto(`${url}/screens`)
  await shows('a')
  await ask('POST', '/notes', { title: 'b' }, token)
  await shows('a b')
  await ask('PATCH', `/notes/${first}`, { title: 'c' }, token)
  await shows('b c')

  for (let kill = 1; kill <= kills; kill += 1) {
    await server.stop('SIGKILL')
    server = start()
    await server.ready()
    token = await logIn()
    await ask('PATCH', `/notes/${first}`, { title: `d${kill}` }, token)
    await shows(`b d${kill}`)
  }
  assert.equal(loads, 1, 'no reload')
})
