/**
 * The guarded code that has the thread, in memory that another thread reads while this one is held.
 * Code that loops without an `await` cannot be asked. It takes two stores for each call of a hook.
 */

/** Further calls at once are not noted: one that holds the thread lets no other begin. */
const slotsMax = 64
/** Before the slots: a count that grows while the thread is free. */
export const beatAt = 0
const firstSlot = 1

/** One call. While the engine works for it, the code does not have the thread. */
export type CallInHand = { pause(): void; resume(): void; leave(): void }
export type CodeInHand = {
  /** The count, and the slots: 0, or the number of a place from 1. */
  readonly shared: Int32Array
  enter(place: string): CallInHand
  /** Tells all places in the order of their numbers, those of later calls too. */
  follow(told: (place: string) => void): void
}

const unnoted: CallInHand = { pause: () => undefined, resume: () => undefined, leave: () => undefined }

export function makeCodeInHand(): CodeInHand {
  const shared = new Int32Array(new SharedArrayBuffer(4 * (firstSlot + slotsMax)))
  const free = Array.from({ length: slotsMax }, (_, index) => firstSlot + slotsMax - 1 - index)
  const numbers = new Map<string, number>()
  let tell: ((place: string) => void) | undefined

  function numberOf(place: string): number {
    const known = numbers.get(place)
    if (known !== undefined) return known
    numbers.set(place, numbers.size + 1)
    tell?.(place)
    return numbers.size
  }

  return {
    shared,
    enter(place) {
      const slot = free.pop()
      if (slot === undefined) return unnoted
      const number = numberOf(place)
      const set = (value: number) => void Atomics.store(shared, slot, value)
      set(number)
      return {
        pause: () => set(0),
        resume: () => set(number),
        leave() {
          set(0)
          free.push(slot)
        },
      }
    },
    follow(told) {
      for (const place of numbers.keys()) told(place)
      tell = told
    },
  }
}

/** The numbers of the places whose code may have the thread now. */
export function numbersIn(shared: Int32Array): readonly number[] {
  return Array.from({ length: slotsMax }, (_, index) => Atomics.load(shared, firstSlot + index)).filter(
    (number) => number > 0,
  )
}
