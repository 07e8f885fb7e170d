/**
 * An amount that many may hold together: bytes of bodies, of answers that nobody reads, or requests
 * that wait. Whoever has held most for longest pays when it is used up; it knows nothing of what it
 * counts.
 */

export type SharedBudget<T> = {
  /** What this one holds from now on; anew whenever it makes progress. */
  hold(holder: T, amount: number): void
  /** Returns whether it held anything. */
  release(holder: T): boolean
  total(): number
}

export type BudgetOptions<T> = {
  readonly amountMax: number
  /** What the holder has now, where that shrinks without notice. */
  readonly measure?: (holder: T) => number
  /** Takes from the holder what it has. */
  readonly cut: (holder: T) => void
  readonly now?: () => number
}

type BudgetHold = { amount: number; sinceMs: number }

export function makeBudget<T>({
  amountMax,
  measure,
  cut,
  now = () => performance.now(),
}: BudgetOptions<T>): SharedBudget<T> {
  const holdings = new Map<T, BudgetHold>()
  let total = 0

  function release(holder: T): boolean {
    const held = holdings.get(holder)
    if (!held) return false
    holdings.delete(holder)
    total -= held.amount
    return true
  }

  /**
   * Who holds most, times the seconds without progress: one that stands still is cut before one
   * that is slow, a large one before a small one.
   */
  function costliest(): T | undefined {
    const nowMs = now()
    let found: T | undefined
    let most = -1
    for (const [holder, held] of holdings) {
      const amount = measure ? measure(holder) : held.amount
      total += amount - held.amount
      held.amount = amount
      const cost = amount * (1 + (nowMs - held.sinceMs) / 1000)
      if (cost <= most) continue
      most = cost
      found = holder
    }
    return found
  }

  function shrink(): void {
    while (total > amountMax) {
      const holder = costliest()
      if (holder === undefined || total <= amountMax) return
      release(holder)
      cut(holder)
    }
  }

  return {
    hold(holder, amount) {
      const held = holdings.get(holder)
      if (held) {
        total += amount - held.amount
        held.amount = amount
        held.sinceMs = now()
      } else {
        total += amount
        holdings.set(holder, { amount, sinceMs: now() })
      }
      if (total > amountMax) shrink()
    },
    release,
    total: () => total,
  }
}
