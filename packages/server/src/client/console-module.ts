/**
 * The types of an application's own modules of the console. A module exports `mount`, which shows
 * something in an element of the page.
 */
import type { ApiConnection } from './make-connection.ts'
import type { FieldDescription, ResourceDescription } from './resource-description.ts'

type Row = Readonly<Record<string, unknown>>

/** Every module gets these. */
export type ConsoleContext = {
  /** The language of the page. */
  readonly language: 'en' | 'de'
  /** Requests as the person who is logged in. */
  readonly client: Pick<ApiConnection, 'send'>
  /** Shows a short message at the foot of the page. */
  notify(text: string): void
  /** Shows another page of the console: `/products/42`. */
  go(place: string): void
}
/** `pages/stock-report`: a page in the menu. */
export type ConsolePageContext = ConsoleContext
/** `cells/product.price`: the value of a field in lists and on the page of a record. */
export type ConsoleCellContext = ConsoleContext & {
  readonly resource: ResourceDescription
  readonly field: FieldDescription
  readonly record: Row
  readonly value: unknown
}
/** `actions/order.print`: a button on the page of a record, which opens a dialog. */
export type ConsoleActionContext = ConsoleContext & {
  readonly resource: ResourceDescription
  readonly record: Row
  /** Closes the dialog. */
  close(): void
}
/** `widgets/product.color`, `widgets/color`: the input of a field in forms. */
export type ConsoleWidgetContext = ConsoleContext & {
  readonly resource: ResourceDescription
  readonly field: FieldDescription
  /** Undefined in a new record. */
  readonly record: Row | undefined
  readonly value: unknown
  /** Gives the value that is sent with the form. */
  change(value: unknown): void
}

/** Ends what the module began: it is called when its element goes. */
type OnUnmount = () => void
/**
 * `mount` of a module. `E` is the element, `HTMLElement` where the types of browsers are loaded.
 * `C` is the context of its place.
 */
export type ConsoleMount<C extends ConsoleContext = ConsoleContext, E = never> = (
  element: E,
  context: C,
  // biome-ignore lint/suspicious/noConfusingVoidType: a module may return nothing
) => OnUnmount | void | Promise<OnUnmount | void>
