/**
 * A budget that many holders share: bytes of bodies, bytes of unread responses, or waiting
 * requests. When it is used up, the holder with the largest amount × waiting time is cut. It does
 * not know what it counts.
 */

export type SharedBudget<T> = {
  /** Sets the amount of this holder. Call it again whenever the holder makes progress. */
  hold(holder: T, amount: number): void
  /** Returns whether it held anything. */
  release(holder: T): boolean
  total(): number
}

export type BudgetOptions<T> = {
  readonly amountMax: number
  /** The current amount of the holder, where it shrinks without notice. */
  readonly measure?: (holder: T) => number
  /** Makes the holder give up its amount. */
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
   * The holder with the largest amount × seconds without progress. A stalled holder is cut before a
   * slow one, a large one before a small one.
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
