/** The type of `GET /api/v1/_console`: the look and the modules of a console. */
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
