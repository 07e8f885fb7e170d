/** Every route of accounts, by subject: the service lists, documents and binds these. */
import type { RouteGroup } from '../endpoint/define-route.ts'
import type { RouteContext } from '../endpoint/route-access.ts'
import { type ErasureRouteDeps, erasureRoutes } from './erasure/erase-routes.ts'
import { type FactorRouteDeps, factorRoutes } from './factors/factor-routes.ts'
import { type OidcRouteDeps, oidcRoutes } from './federation/oidc-routes.ts'
import { type AccountPageDeps, accountPageRoutes } from './recovery/account-pages.ts'
import { type ConsoleCodeRouteDeps, consoleCodeRoutes } from './recovery/console-code-routes.ts'
import { type RecoveryRouteDeps, recoveryRoutes } from './recovery/recovery-routes.ts'
import { type AuthRouteDeps, authRoutes } from './sessions/auth-routes.ts'
import { type JwksRouteDeps, jwksRoutes } from './tokens/jwks-routes.ts'
import { type ViewAsRouteDeps, viewAsRoutes } from './viewing/view-as-routes.ts'

/** The needs of the routes of each subject. */
export type AccountRouteDeps = {
  readonly auth: AuthRouteDeps
  readonly recovery: RecoveryRouteDeps
  readonly factors: FactorRouteDeps
  readonly oidc: OidcRouteDeps
  readonly viewAs: ViewAsRouteDeps
  readonly consoleCode: ConsoleCodeRouteDeps
  readonly erasure: ErasureRouteDeps
  readonly keys: JwksRouteDeps
  readonly accountPages: AccountPageDeps
}

type RouteGroups = { readonly [K in keyof AccountRouteDeps]: (ground: RouteContext) => RouteGroup<AccountRouteDeps[K]> }

/** In the order of `bindery routes`. */
export const accountRoutes: RouteGroups = {
  auth: authRoutes,
  recovery: recoveryRoutes,
  factors: factorRoutes,
  oidc: oidcRoutes,
  viewAs: viewAsRoutes,
  consoleCode: consoleCodeRoutes,
  erasure: erasureRoutes,
  keys: jwksRoutes,
  accountPages: accountPageRoutes,
}
