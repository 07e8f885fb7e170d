/** GraphiQL in a real browser: it opens under its own content policy and runs a query. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { startService } from '../../src/testing/index.ts'
import { library } from '../events/library.ts'
import { launchChromium } from '../helpers/launch-chromium.ts'
import { until } from '../helpers/until.ts'
import { type Endpoint, openEndpoint } from './endpoint.ts'

describe('GraphiQL in Chromium', { timeout: 480_000 }, () => {
  let endpoint: Endpoint
  let browser: Browser
  before(async () => {
    endpoint = await openEndpoint()
    browser = await launchChromium()
  })
  after(async () => {
    await browser?.close()
    await endpoint?.stop()
  })

  it('opens, and runs a query with a header', async () => {
    const { token, id } = await endpoint.person('USER')
    const page = await browser.newPage()
    const complaints: string[] = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('request', (request) => {
      if (!request.url().startsWith(endpoint.url) && !/^(data|blob):/.test(request.url()))
        complaints.push(`asked ${request.url()}`)
    })
    await page.goto(endpoint.address)
    await page.waitForSelector('.graphiql-query-editor .CodeMirror-wrap')
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 })
      const cut = await page.evaluate(
        "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.graphiql-query-editor .CodeMirror-scroll'))",
      )
      assert.ok((cut as number) <= 0, `of ${width} pixels, ${cut} are missing to the query`)
    }
    await page.setViewportSize({ width: 1280, height: 800 })
    for (const name of ['Query', 'Variables', 'Headers', 'Result'])
      assert.equal(await page.locator(`.CodeMirror textarea[aria-label="${name}"]`).count(), 1, name)

    const type = async (editor: string, text: string) => {
      await page.click(`${editor} .CodeMirror`)
      await page.keyboard.press('ControlOrMeta+A')
      // Inserted as if pasted, so that the editor adds no closing brackets of its own.
      await page.keyboard.insertText(text)
    }
    await type('.graphiql-query-editor', '{ me { id } }')
    await type(
      '.graphiql-editor-tool .graphiql-editor:not(.hidden)',
      JSON.stringify({ authorization: `Bearer ${token}` }),
    )
    await page.click('.graphiql-execute-button')
    await page.locator('.result-window').filter({ hasText: id }).waitFor()

    const widthOf = async (selector: string) => (await page.locator(selector).boundingBox())?.width ?? 0
    await page.setViewportSize({ width: 390, height: 844 })
    for (const selector of ['.graphiql-query-editor', '.result-window'])
      assert.ok((await widthOf(selector)) > 250, `${selector} is ${await widthOf(selector)} pixels wide`)
    assert.ok(((await page.evaluate('document.documentElement.scrollWidth')) as number) <= 390)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.click('[aria-label="Show Documentation Explorer"]')
    await page.waitForSelector('text=Root Types')
    assert.deepEqual(complaints, [])
  })

  it('shows the results of a subscription as they come, and stops', async (t) => {
    const service = await startService(library())
    t.after(() => service.stop())
    const { token } = await service.admin()
    const page = await browser.newPage()
    await page.goto(`${service.url}/graphql`)
    const texts = {
      '.graphiql-query-editor': 'subscription { notes { type record { title } } }',
      '.graphiql-editor-tool .graphiql-editor:not(.hidden)': JSON.stringify({ authorization: `Bearer ${token}` }),
    }
    const has = async (editor: string, text: string) =>
      (await page.locator(`${editor} .CodeMirror-code`).textContent())?.includes(text.slice(0, 20)) === true
    // On a busy machine the keys come before the focus: then the other editor gets them.
    const areTyped = async () => {
      let count = 0
      for (const [editor, text] of Object.entries(texts)) {
        if (await has(editor, text)) count += 1
        else {
          await page.click(`${editor} .CodeMirror`)
          await page.keyboard.press('ControlOrMeta+A')
          await page.keyboard.insertText(text)
        }
      }
      return count === 2
    }
    await page.waitForSelector('.graphiql-query-editor .CodeMirror-wrap')
    await until(areTyped, 'both editors')
    await page.click('.graphiql-execute-button')
    const shown = (selector: string) => page.locator(selector).first().textContent()
    const shows = (text: string) =>
      page
        .locator('.result-window')
        .filter({ hasText: text })
        .waitFor()
        .catch(async (cause) => {
          const editors = await Promise.all(
            ['.graphiql-query-editor', '.graphiql-editor-tool', '.result-window'].map(shown),
          )
          throw new Error(`Without ${text}: ${editors.join(' | ')}`, { cause })
        })
    await shows('READY')
    for (const title of ['First', 'Second']) {
      const body = { state: 'OPEN', title }
      assert.equal((await service.ask('POST', '/api/v1/notes', { body, token })).status, 201)
      await shows(title)
    }
    const isEnded = page.waitForEvent('requestfailed')
    await page.click('.graphiql-execute-button')
    await isEnded
    // The schema came as an event, too.
    await page.click('[aria-label="Show Documentation Explorer"]')
    await page.waitForSelector('text=Root Types')
  })
})
