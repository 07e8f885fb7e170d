/** Starts a real Chromium, which npm installs. */
import { setTimeout as sleep } from 'node:timers/promises'
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'

const attemptsMax = 20

/**
 * As browsers are: what the package turns off for its own purposes, such as the bounds between
 * sites, stays on. `env` are variables of its process. Without a GPU that is computed: it took a
 * third of the work of a page. Close it.
 */
export async function launchChromium(env: Record<string, string> = {}): Promise<Browser> {
  const usual = chromium.args.filter(
    (one) => !/disable-web-security|single-process|insecure-content|site-isolation/.test(one),
  )
  const options = {
    executablePath: await chromium.executablePath(),
    args: [...usual, '--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    headless: true,
    env: { ...(process.env as Record<string, string>), ...env },
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await playwright.launch(options)
    } catch (error) {
      // Another process is still unpacking it to the same place.
      if (attempt === attemptsMax || !/ETXTBSY/.test(String(error))) throw error
      await sleep(1_000)
    }
  }
}
