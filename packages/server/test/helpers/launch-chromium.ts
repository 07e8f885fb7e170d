/** A real Chromium, from npm. */
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'

/**
 * As browsers are: what the package turns off for its own purposes, such as the bounds between sites, stays on. `env` are variables of its
 * process. Close it.
 */
export async function launchChromium(env: Record<string, string> = {}): Promise<Browser> {
  const usual = chromium.args.filter(
    (one) => !/disable-web-security|single-process|insecure-content|site-isolation/.test(one),
  )
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [...usual, '--no-sandbox', '--disable-dev-shm-usage'],
    headless: true,
    env: { ...(process.env as Record<string, string>), ...env },
  })
}
