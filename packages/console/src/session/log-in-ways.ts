/** The ways to log in that this server offers, as the page has them. */
import type { LogInWays } from 'bindery-server/client'
import { consoleRoot, serverUrl } from '../address/place.ts'
import { keepMount } from '../api/session-mount.ts'

const said = document.querySelector<HTMLMetaElement>('meta[name="bindery-console-log-in"]')?.content
const none: LogInWays = { passkeys: false, providers: [], reset: false, link: false }

export const ways: LogInWays = said === undefined ? none : JSON.parse(said)

/** Whether this browser has passkeys: it lacks them on addresses that are not secure. */
export const hasPasskeys = ways.passkeys && 'PublicKeyCredential' in window

/** The browser leaves the page, and comes back to this address. */
export function providerAddress(provider: string): string {
  const here = location.pathname + location.search
  // The server takes no longer one.
  const returnTo = here.length > 1000 ? consoleRoot : here
  return `${serverUrl}/auth/oidc/${encodeURIComponent(provider)}?${new URLSearchParams({ returnTo })}`
}

/** The session of the provider's log-in is at this mount when the browser comes back. */
export function leaveForProvider(): void {
  keepMount('')
}

/** The page that the mailed link opens leads back here, in this browser. */
export function leaveForMail(): void {
  localStorage.setItem('bindery.console.asked-link', `${Date.now()} ${consoleRoot}`)
}
