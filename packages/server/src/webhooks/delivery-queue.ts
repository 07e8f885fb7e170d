/**
 * The deliveries of one endpoint that wait, in memory while it runs. Where it is in order, one
 * about a record waits for those before it.
 */

/** A delivery that waits. `event`: `products.change`. */
export type WaitingDelivery = {
  readonly id: string
  readonly event: string
  readonly resource: string | null
  readonly recordId: string | null
  readonly before: string | null
  readonly place: string | null
  readonly at: string
  readonly tries: number
  readonly nextMs: number
  /** The content of its body, where it was made a moment ago. */
  readonly fresh?: { readonly data: object; readonly untilMs: number } | undefined
}

export type DeliveryQueue = {
  readonly size: number
  /**
   * Later ones come after earlier ones. One that is known has these values, unless it is in work.
   */
  add(delivery: WaitingDelivery): void
  /** The next one that is due, of these; it is in work from then on. */
  take(nowMs: number, isWanted?: (delivery: WaitingDelivery) => boolean): WaitingDelivery | undefined
  /** It has ended, or waits again as `later` says. */
  settle(delivery: WaitingDelivery, later: WaitingDelivery | undefined): void
  /** When the next one that is not in work is due. */
  nextMs(): number | undefined
}

export function makeDeliveryQueue(isInOrder: boolean): DeliveryQueue {
  const lines = new Map<string, WaitingDelivery[]>()
  const known = new Set<string>()
  const inWork = new Set<string>()
  const keyOf = ({ id, resource, recordId }: WaitingDelivery) =>
    isInOrder && recordId !== null ? `${resource} ${recordId}` : `one ${id}`

  function* heads(): Generator<WaitingDelivery> {
    for (const [first] of lines.values()) if (first && !inWork.has(first.id)) yield first
  }

  return {
    get size() {
      return known.size
    },
    add(delivery) {
      const key = keyOf(delivery)
      const line = lines.get(key)
      if (known.has(delivery.id)) {
        const at = line?.findIndex(({ id }) => id === delivery.id) ?? -1
        if (line && at >= 0 && !inWork.has(delivery.id)) line[at] = delivery
        return
      }
      known.add(delivery.id)
      if (line) line.push(delivery)
      else lines.set(key, [delivery])
    },
    take(nowMs, isWanted = () => true) {
      let found: WaitingDelivery | undefined
      for (const one of heads())
        if (one.nextMs <= nowMs && (!found || one.nextMs < found.nextMs) && isWanted(one)) found = one
      if (found) inWork.add(found.id)
      return found
    },
    settle(delivery, later) {
      inWork.delete(delivery.id)
      const key = keyOf(delivery)
      const line = lines.get(key) as WaitingDelivery[]
      if (later) {
        line[0] = later
        return
      }
      known.delete(delivery.id)
      line.shift()
      if (line.length === 0) lines.delete(key)
    },
    nextMs() {
      let next: number | undefined
      for (const { nextMs } of heads()) next = Math.min(next ?? nextMs, nextMs)
      return next
    },
  }
}
