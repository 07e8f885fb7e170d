/**
 * Tells a writer the position of its write in the changes of the service (`Change-Position`). So a
 * client that follows the changes knows when its own write has come back to it.
 */
import { boundedCache } from '../../base/bounded-cache.ts'
import { loadOnce } from '../../base/optional-package.ts'
import { makePositions } from '../../endpoint/positions.ts'
import type { Changes } from '../../storage/changes.ts'
import { type LogPlace, laterPlace } from '../../storage/derived/kept-log.ts'
import type { HttpRequest, HttpResponse } from './exchange.ts'

export const changePosition = 'Change-Position'

type AnsweringRoute = { answer(request: HttpRequest): HttpResponse | Promise<HttpResponse> }

/** Writes whose requests are answered at the same time. */
const placesMax = 10_000

/** The routes as they are where no resource has `changes`. */
export function tellingPositions<R extends AnsweringRoute>(
  routes: readonly R[],
  changes: Pick<Changes, 'kept' | 'follow'>,
): readonly R[] {
  const { kept } = changes
  if (!kept) return routes
  /** The end of the last transaction of each request: changes arrive before the writer's answer. */
  const places = boundedCache<string, LogPlace>({ entriesMax: placesMax })
  changes.follow({
    apply(some) {
      for (const { requestId, place } of some)
        if (requestId !== undefined && place !== undefined)
          places.set(requestId, laterPlace(places.get(requestId) ?? place, place))
    },
    reset: () => undefined,
  })
  const sealing = loadOnce(async () => makePositions(await kept.sealing()))

  async function tell({ id, tell: addHeader }: HttpRequest): Promise<void> {
    const place = places.get(id)
    if (place === undefined) return
    places.delete(id)
    addHeader(changePosition.toLowerCase(), (await sealing()).seal(place))
  }
  return routes.map((route) => ({
    ...route,
    answer(request) {
      const answered = route.answer(request)
      if (!(answered instanceof Promise)) return answered
      return answered.then((response) => (places.has(request.id) ? tell(request).then(() => response) : response))
    },
  }))
}
