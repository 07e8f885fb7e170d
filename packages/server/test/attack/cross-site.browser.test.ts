/**
 * Requests of other pages in a real browser with the refresh cookie: from another site, and from
 * another port, which is the same site. None refreshes or ends the session, and the cookie stays
 * valid.
 */
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { Browser, BrowserContext } from 'playwright-core'
import { adminEmail, password, startService, type TestService } from '../helpers/application.ts'
import { launchChromium } from '../helpers/launch-chromium.ts'
import { long } from '../helpers/long.ts'

type Attack = readonly [shape: string, html: (target: string) => string]

/** Each is the body of a page that sends something to `/auth/…` as soon as it is open. */
const attacks: readonly Attack[] = [
  [
    'a form',
    (to) => `<form method=post action="${to}/auth/refresh"></form><script>document.forms[0].submit()</script>`,
  ],
  [
    'a form that logs out',
    (to) => `<form method=post action="${to}/auth/logout"></form><script>document.forms[0].submit()</script>`,
  ],
  [
    'a form of plain text that is JSON',
    (to) =>
      `<form method=post enctype="text/plain" action="${to}/auth/refresh"><input name='{"a":"' value='"}'></form><script>document.forms[0].submit()</script>`,
  ],
  [
    'a form within a frame',
    (to) =>
      `<iframe name=inner></iframe><form target=inner method=post action="${to}/auth/refresh"></form><script>document.forms[0].submit()</script>`,
  ],
  [
    'a form in a sandbox, whose origin is null',
    (to) =>
      `<iframe sandbox="allow-forms allow-scripts" srcdoc="<form method=post action='${to}/auth/refresh'></form><script>document.forms[0].submit()</script>"></iframe>`,
  ],
  [
    'fetch with credentials',
    (to) => `<script>fetch('${to}/auth/refresh',{method:'POST',credentials:'include'}).catch(()=>0)</script>`,
  ],
  [
    'fetch without CORS',
    (to) =>
      `<script>fetch('${to}/auth/logout',{method:'POST',mode:'no-cors',credentials:'include'}).catch(()=>0)</script>`,
  ],
  [
    'fetch of JSON, which is asked for first',
    (to) =>
      `<script>fetch('${to}/auth/refresh',{method:'POST',credentials:'include',headers:{'content-type':'application/json'},body:'{}'}).catch(()=>0)</script>`,
  ],
  [
    'XMLHttpRequest',
    (to) =>
      `<script>const x=new XMLHttpRequest();x.open('POST','${to}/auth/refresh');x.withCredentials=true;x.send()</script>`,
  ],
  [
    'sendBeacon',
    (to) => `<script>navigator.sendBeacon('${to}/auth/logout',new Blob(['{}'],{type:'text/plain'}))</script>`,
  ],
  ['an image', (to) => `<img src="${to}/auth/refresh">`],
  ['a frame', (to) => `<iframe src="${to}/auth/logout"></iframe>`],
  ['a preload', (to) => `<link rel=preload as=fetch crossorigin=use-credentials href="${to}/auth/refresh">`],
  ['a navigation', (to) => `<script>location='${to}/auth/logout'</script>`],
  [
    'a redirect that keeps the method',
    () => '<form method=post action="/away"></form><script>document.forms[0].submit()</script>',
  ],
  [
    'a mutation of GraphQL',
    (to) =>
      `<script>fetch('${to}/graphql',{method:'POST',mode:'no-cors',credentials:'include',headers:{'content-type':'text/plain'},body:'{"query":"mutation{deleteMember(id:\\\\"1\\\\")}"}'}).catch(()=>0)</script>`,
  ],
  ['a mutation of GraphQL by GET', (to) => `<img src="${to}/graphql?query=mutation%7BdeleteMember(id:%221%22)%7D">`],
]

describe('requests from other sites in Chromium', { timeout: 480_000, ...long }, () => {
  let service: TestService
  let evil: Server
  let browser: Browser
  let context: BrowserContext
  let own: string
  before(async () => {
    service = await startService()
    own = service.url.replace('127.0.0.1', 'localhost')
    evil = createServer((asked, answer) => {
      const [, name = ''] = (asked.url ?? '').split('/')
      if (name === 'away') return answer.writeHead(307, { location: `${own}/auth/refresh` }).end()
      const html = attacks[Number(name)]?.[1](own)
      return answer.writeHead(html ? 200 : 404, { 'content-type': 'text/html' }).end(html)
    })
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve))
    browser = await launchChromium()
    context = await browser.newContext()
    const opened = await context.request.post(`${own}/auth/login`, { data: { email: adminEmail, password } })
    assert.equal(opened.status(), 200)
  })
  after(async () => {
    await browser?.close()
    evil?.closeAllConnections()
    await new Promise((resolve) => evil?.close(resolve))
    await service?.stop()
  })

  const refreshCookie = async () =>
    (await context.cookies(`${own}/auth/refresh`)).find(({ name }) => name === 'refreshToken')?.value

  for (const [site, host] of [
    ['another site', '127.0.0.1'],
    ['a neighbour on another port', 'localhost'],
  ] as const) {
    it(`from ${site}: ${attacks.length} shapes are refused, and the cookie is unspent`, async () => {
      const kept = await refreshCookie()
      assert.ok(kept)
      for (const [i, [shape]] of attacks.entries()) {
        const statuses: number[] = []
        const page = await context.newPage()
        page.on('response', (response) => {
          if (/\/(auth|graphql)/.test(new URL(response.url()).pathname)) statuses.push(response.status())
        })
        const sent = page.waitForEvent('request', {
          predicate: (one) => /\/(auth\/|graphql)/.test(new URL(one.url()).pathname),
          timeout: 5_000,
        })
        await page.goto(`http://${host}:${(evil.address() as AddressInfo).port}/${i}`).catch(() => undefined)
        await sent
        await (await sent).response().catch(() => null)
        await page.close()
        assert.ok(
          statuses.every((status) => status >= 400),
          `${shape}: ${statuses}`,
        )
        assert.equal(await refreshCookie(), kept, shape)
      }
    })
  }

  it('it is exchanged afterwards: nobody has used it', async () => {
    const before = await refreshCookie()
    const refreshed = await context.request.post(`${own}/auth/refresh`)
    assert.equal(refreshed.status(), 200)
    assert.notEqual(await refreshCookie(), before)
  })
})
