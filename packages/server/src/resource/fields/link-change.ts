/** A change of the links of a record, in the form that all rooms read. */
import type { Scalar } from '../condition.ts'

/** The id of the linked record, and those of the declared values of the link that were sent. */
export type LinkItem = Readonly<Record<string, unknown>> & { readonly id: Scalar }

/** Either all of the links, or those to add and to remove. */
export type LinkChange =
  | { readonly set: readonly LinkItem[]; readonly add?: undefined; readonly remove?: undefined }
  | { readonly set?: undefined; readonly add: readonly LinkItem[]; readonly remove: readonly Scalar[] }

type GivenLink = Scalar | LinkItem

/** The same as code of the application gives it: `['id']`, or `{ add: ['id'] }`. */
export type GivenLinks =
  | readonly GivenLink[]
  | { readonly set: readonly GivenLink[] }
  | { readonly add?: readonly GivenLink[]; readonly remove?: readonly Scalar[] }
