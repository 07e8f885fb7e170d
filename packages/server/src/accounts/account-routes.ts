/** Every route of accounts, by subject: what a service lists, describes and binds. */
import type { Subject } from '../endpoint/define-route.ts'
import type { Ground } from '../endpoint/door.ts'
import { type FactorNeeds, factorRoutes } from './factors/factor-routes.ts'
import { type OidcNeeds, oidcRoutes } from './federation/oidc-routes.ts'
import { type AccountPageNeeds, accountPageRoutes } from './recovery/account-pages.ts'
import { type RecoveryNeeds, recoveryRoutes } from './recovery/recovery-routes.ts'
import { type AuthNeeds, authRoutes } from './sessions/auth-routes.ts'
import { type JwksNeeds, jwksRoutes } from './tokens/jwks-routes.ts'

/** The needs of the routes of each subject. */
export type AccountNeeds = {
  readonly auth: AuthNeeds
  readonly recovery: RecoveryNeeds
  readonly factors: FactorNeeds
  readonly oidc: OidcNeeds
  readonly keys: JwksNeeds
  readonly accountPages: AccountPageNeeds
}

type Subjects = { readonly [K in keyof AccountNeeds]: (ground: Ground) => Subject<AccountNeeds[K]> }

/** In the order of `bindery routes`. */
export const accountRoutes: Subjects = {
  auth: authRoutes,
  recovery: recoveryRoutes,
  factors: factorRoutes,
  oidc: oidcRoutes,
  keys: jwksRoutes,
  accountPages: accountPageRoutes,
}
