/**
 * The beginning of a list, place by place: which record stands there and how it is shown, as far as pages have told. A record that comes or goes moves
 * those behind it and changes none of them, so what a page shows that has moved is known without a read.
 */
import type { Since, Touch, Watch } from '../storage/derived/watch.ts'
import { type Known, makePlaces, type Order, type Places } from './places.ts'
import type { Standing } from './shelves.ts'

export type Front = {
  /** Notes what a page showed from this place on, and where that stands now. */
  put(asOf: AsOf, offset: number, shown: readonly Standing[]): void
  /** What stands there now, as far as it is known; fewer than `limit` where nobody has looked that far. */
  page(offset: number, limit: number): Known
  /** Of the watches of one condition, which replace each other where there are too many, this one is the latest. */
  follow(watch: Watch): void
  /** Nothing is known any more. */
  forget(): void
  /** About how much memory it takes, without the texts. */
  bytes(): number
}

/** When the list was as a page showed it, with everything known that had been written by then. */
export type AsOf = { readonly watch: Watch; readonly since: Since }

type Options = Order & { readonly watch: Watch }

/** After more than this a list has changed so much that to look at it again costs less. */
const touchesMax = 200

/** Whether what is known agrees with the change. */
function take(places: Places, { moved, before, after }: Touch): boolean {
  if (before === undefined || after === undefined) return false
  const [was, is] = [before ? moved.before : null, after ? moved.after : null]
  if (was === undefined || is === undefined) return false
  return (was === null || places.go(was)) && (is === null || places.come(is))
}

/** Takes what has happened since; false where that is not known, too much, or not what can have happened. */
function takeAll(places: Places, touches: readonly Touch[] | undefined): boolean {
  return touches !== undefined && touches.length <= touchesMax && touches.toReversed().every((one) => take(places, one))
}

export function makeFront({ watch: first, sort, release }: Options): Front {
  const places = makePlaces({ sort, release })
  let watch = first
  let since = watch.now()

  function catchUp(): void {
    const touches = watch.since(since)
    since = watch.now()
    if (!takeAll(places, touches)) places.forget()
  }

  return {
    put(asOf, offset, shown) {
      catchUp()
      const page = makePlaces({ sort, release })
      page.put(offset, shown)
      if (takeAll(page, asOf.watch.since(asOf.since))) places.put(page.first(), page.known)
      else page.forget()
    },
    page(offset, limit) {
      catchUp()
      return places.slice(offset, offset + limit)
    },
    follow(latest) {
      if (latest === watch) return
      catchUp()
      watch = latest
      since = watch.now()
    },
    forget: places.forget,
    bytes: places.bytes,
  }
}
