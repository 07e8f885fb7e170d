/**
 * The type of `GET /api/v1/_console`, the look and the modules of a console, and the ways to log in
 * that its page offers.
 */
import type { LabelDescription } from './resource-description.ts'

export type ModuleDescription = LabelDescription & {
  /** `pages/stock-report`, `cells/product.price`, `actions/order.print`, `widgets/product.color` */
  readonly name: string
  /** Its path on this server. */
  readonly address: string
}

export type ConsoleDescription = {
  readonly name: string
  /** The path of the image on this server. */
  readonly logo?: string
  /** As `#rrggbb`, for each theme. */
  readonly accent?: { readonly light: string; readonly dark: string }
  readonly modules: readonly ModuleDescription[]
}

/** The page of the console has it in its head, for any reader: it is public. */
export type LogInWays = {
  /** The path below which a first factor is enrolled; absent without second factors. */
  readonly factors?: string
  /** Whether a passkey logs in. */
  readonly passkeys: boolean
  /** The names of OpenID providers. */
  readonly providers: readonly string[]
  /** Whether a mail has a link to choose a new password. */
  readonly reset: boolean
  /** Whether a mail has a link that logs in, on a page of this server. */
  readonly link: boolean
}
