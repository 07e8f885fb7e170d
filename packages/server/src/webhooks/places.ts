/**
 * The requests that an endpoint may have under way. The first one waits for no other endpoint. An
 * endpoint that answers has more, from places that all endpoints of a process share. Each
 * try without an answer halves them.
 */

/** Requests of one endpoint that run side by side. */
const mostOfOne = 10
/** Further requests of all endpoints together: the first of each is not counted. */
const mostShared = 500

export type SharedPlaces = { free: number }

export const sharedPlaces = (free = mostShared): SharedPlaces => ({ free })

export type EndpointPlaces = {
  /** Whether one more request may begin. */
  isFree(): boolean
  take(): void
  /** A request has ended. `answered`: undefined where nothing was sent. */
  end(answered: boolean | undefined): void
}

export function makePlaces(shared: SharedPlaces): EndpointPlaces {
  let taken = 0
  let most = 1
  return {
    isFree: () => taken === 0 || (taken < most && shared.free > 0),
    take() {
      taken += 1
      if (taken > 1) shared.free -= 1
    },
    end(answered) {
      if (taken > 1) shared.free += 1
      taken -= 1
      if (answered === true) most = Math.min(most + 1, mostOfOne)
      else if (answered === false) most = Math.max(Math.floor(most / 2), 1)
    },
  }
}
