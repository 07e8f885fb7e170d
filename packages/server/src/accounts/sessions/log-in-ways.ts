/** The ways to log in that the page of the console offers. Each of them is public. */
import { factorsPath } from '../factors/factors-path.ts'
import type { ServedEngine } from '../served-engine.ts'

/** `mailLinks`: the start of links in mails, where they lead to pages of the application. */
export function logInWaysOf({ identity, catalog, settings }: ServedEngine, mailLinks: string | undefined) {
  const { factor, oneTimeToken } = catalog
  return {
    ...(factor && { factors: factorsPath(factor.resource) }),
    passkeys: identity.factors?.offersPasskeys === true,
    providers: settings.oidcProviders ?? [],
    reset: oneTimeToken !== undefined,
    // A page of the application logs in to the application, and need not lead to the console.
    link: settings.loginLink === true && mailLinks === undefined,
  }
}
