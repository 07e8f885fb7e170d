/**
 * Hostile files in a real Chromium. Pages of the own origin and of another one embed each in every
 * way, and each is opened by itself. None of them may run, or load anything.
 */
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { anyone, type DeclaredResource, defineResource, file, id } from '../../src/index.ts'
import { startService, type TestService } from '../../src/testing/index.ts'
import { launchChromium } from '../helpers/launch-chromium.ts'
import { png } from './sample-files.ts'

const traps = defineResource({
  name: 'trap',
  path: '/traps',
  fields: { id: id(), bait: file() },
  list: { style: 'page' },
  access: { read: anyone, write: anyone },
})

/** `mark`: the address that a file asks for when it runs. */
function hostile(mark: string): Readonly<Record<string, { readonly type: string; readonly bytes: Buffer }>> {
  const code = (name: string) => `fetch('${mark}?${name}');try{top.document.title='${name}'}catch{}`
  const page = (name: string) =>
    `<!doctype html><title>x</title><script>${code(name)}</script><img src="${mark}?${name}">`
  const svg = (name: string) =>
    `<svg xmlns="http://www.w3.org/2000/svg" onload="${code(name)}"><script>${code(name)}</script><image href="${mark}?${name}"/></svg>`
  const xhtml = (name: string) => `<html xmlns="http://www.w3.org/1999/xhtml"><script>${code(name)}</script></html>`
  const text = (type: string, words: string) => ({ type, bytes: Buffer.from(words) })
  const script = (name: string) => `${code(name)}//`
  return {
    html: text('text/html', page('html')),
    'html as a picture': text('image/png', page('picture')),
    'html as a text': text('text/plain', page('plain')),
    'html after spaces': text('text/html', `${' '.repeat(2_000)}${page('spaces')}`),
    'html in UTF-16': {
      type: 'text/html',
      bytes: Buffer.concat([Buffer.from([255, 254]), Buffer.from(page('utf16'), 'utf16le')]),
    },
    'html in UTF-7': text('text/html', '+ADw-script+AD4-fetch(1)+ADw-/script+AD4-'),
    xhtml: text('application/xhtml+xml', xhtml('xhtml')),
    xml: text('text/xml', `<?xml version="1.0"?>${xhtml('xml')}`),
    'xml with a style': text(
      'application/xml',
      `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="${mark}?xsl"?><a/>`,
    ),
    feed: text(
      'application/atom+xml',
      `<feed xmlns="http://www.w3.org/2005/Atom"><title type="html">${page('feed')}</title></feed>`,
    ),
    svg: text('image/svg+xml', svg('svg')),
    'svg with a foreign object': text(
      'image/svg+xml',
      `<svg xmlns="http://www.w3.org/2000/svg"><foreignObject>${xhtml('foreign')}<iframe xmlns="http://www.w3.org/1999/xhtml" srcdoc="&lt;script&gt;${code('srcdoc')}&lt;/script&gt;"/></foreignObject></svg>`,
    ),
    'svg that uses another': text(
      'image/svg+xml',
      `<svg xmlns="http://www.w3.org/2000/svg"><use href="${mark}?use#a"/><style>@import url('${mark}?svgstyle')</style></svg>`,
    ),
    'svg as xml': text('application/xml', svg('svgxml')),
    script: text('text/javascript', script('script')),
    older: text('text/javascript1.5', script('older')),
    'script of an application': text('application/javascript', script('application')),
    'script as a text': text('text/plain', script('scripttext')),
    'script as json': text('application/json', script('json')),
    style: text('text/css', `@import url('${mark}?import');body{background:url('${mark}?style')}`),
    'picture and html': { type: 'image/png', bytes: Buffer.concat([png, Buffer.from(page('polyglot'))]) },
    'picture and script': { type: 'image/gif', bytes: Buffer.from(`GIF89a=1;${script('gif')}`, 'latin1') },
    'bitmap and script': { type: 'image/bmp', bytes: Buffer.from(`BM=1;${script('bmp')}`, 'latin1') },
    component: text('text/x-component', `<public:attach event="onload" onevent="${code('htc')}"/>`),
    mail: text('message/rfc822', `MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n${page('mail')}`),
    pdf: text(
      'application/pdf',
      `%PDF-1.4\n1 0 obj<</Type/Catalog/OpenAction<</S/URI/URI(${mark}?pdf)>>>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n`,
    ),
    'document and html': text('application/pdf', `%PDF-1.4\n<!-- ${page('pdfhtml')}\n%%EOF\n`),
    'document with a script': text(
      'application/pdf',
      `%PDF-1.4\n1 0 obj<</Type/Catalog/OpenAction<</S/JavaScript/JS(app.launchURL('${mark}?pdfscript'))>>>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n`,
    ),
    archive: {
      type: 'application/zip',
      bytes: Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.from(page('zip'))]),
    },
    manifest: text('application/manifest+json', `{"start_url":"${mark}?manifest"}`),
    'map of imports': text('application/importmap+json', `{"imports":{"a":"${mark}?map"}}`),
    wasm: { type: 'application/wasm', bytes: Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]) },
    flash: {
      type: 'application/x-shockwave-flash',
      bytes: Buffer.concat([Buffer.from('FWS\u0006'), Buffer.alloc(40)]),
    },
    subtitles: text('text/vtt', `WEBVTT\n\n00:00.000 --> 00:09.000\n${page('vtt')}\n`),
  }
}

const embedding = (url: string) => `
  <img src="${url}"><iframe src="${url}"></iframe><object data="${url}"></object>
  <script src="${url}"></script><script type="module" src="${url}"></script>
  <link rel="stylesheet" href="${url}"><video src="${url}"><track default src="${url}"></video>`

/** The ways in which only scripts embed. */
const loading = (url: string) => `
  import('${url}').catch(() => 0);
  try { new Worker('${url}').onerror = () => 0 } catch {}
  navigator.serviceWorker?.register('${url}').catch(() => 0);`

describe('hostile files', { timeout: 240_000 }, () => {
  let service: TestService
  let site: Server
  let browser: Browser
  let page: Page
  const urls = new Map<string, string>()
  const ran: string[] = []
  let origin = ''

  before(async () => {
    service = await startService([traps] as readonly DeclaredResource[], { env: { RATE_LIMIT: '' } })
    site = createServer((asked, answer) => {
      if (asked.url?.startsWith('/ran')) ran.push(asked.url)
      answer.writeHead(200, { 'content-type': 'text/html', 'access-control-allow-origin': '*' }).end('<!doctype html>')
    })
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
    for (const [name, { type, bytes }] of Object.entries(hostile(`${origin}/ran`))) {
      const made = await service.ask('POST', '/api/v1/traps', { body: {} })
      const at = `/api/v1/traps/${made.body.id}/bait`
      const put = await service.ask('PUT', at, { raw: bytes, type })
      assert.equal(put.status, 200, `${name}: ${put.text}`)
      urls.set(name, service.url + at)
    }
    browser = await launchChromium()
    page = await browser.newPage()
    page.on('dialog', (dialog) => ran.push(dialog.message()))
  })
  after(async () => {
    await browser?.close()
    site?.close()
    await service?.stop()
  })

  /** One page with all of them. */
  async function embed(place: string): Promise<void> {
    ran.length = 0
    const all = [...urls.values()]
    const body = `<!doctype html><title>quiet</title>${all.map(embedding).join('')}<script>${all.map(loading).join('')}</script>`
    await page.route(place, (route) => route.fulfill({ contentType: 'text/html', body }))
    await page.goto(place, { waitUntil: 'load' })
    // Code that runs asks within the load of the page, or right after it.
    await sleep(200)
    assert.deepEqual([ran, await page.title()], [[], 'quiet'])
    await page.unrouteAll()
  }

  it('the marks of these files are heard', async () => {
    await page.route(`${origin}/probe`, (route) =>
      route.fulfill({ contentType: 'text/html', body: hostile(`${origin}/ran`).html?.bytes.toString() ?? '' }),
    )
    await page.goto(`${origin}/probe`, { waitUntil: 'networkidle' })
    assert.deepEqual([ran.length > 0, await page.title()], [true, 'html'])
    await page.unrouteAll()
  })

  it('run in no page of the own origin, which has no policy', () => embed(`${service.url}/embedding`))

  it('run in no page of another origin', () => embed(`${origin}/embedding`))

  it('run in no tab of their own', async () => {
    for (const [name, url] of urls) {
      ran.length = 0
      const opened = page.goto(url, { waitUntil: 'load', timeout: 5_000 }).catch(() => undefined)
      await Promise.race([opened, page.waitForEvent('download', { timeout: 5_000 }).then((one) => one.cancel())])
      await sleep(20)
      assert.deepEqual(ran, [], name)
    }
  })
})
