/**
 * Detects whether a function reads the clock other than by its arguments: calls it once while the
 * clock functions are watched.
 */

/** Ways to read the time, as a program writes them. */
type ClockRead = 'Date.now()' | 'new Date()' | 'Date()' | 'performance.now()' | 'Temporal.Now'

type Clocks = { Date: DateConstructor; performance: Performance; Temporal?: object }

function watchedDate(own: DateConstructor, note: (read: ClockRead) => void): DateConstructor {
  return new Proxy(own, {
    construct(target, given, made) {
      if (given.length === 0) note('new Date()')
      return Reflect.construct(target, given, made)
    },
    apply() {
      note('Date()')
      return own()
    },
    get(target, name, receiver) {
      if (name === 'now') note('Date.now()')
      return Reflect.get(target, name, receiver)
    },
  })
}

function watchedMember<T extends object>(own: T, member: string, note: () => void): T {
  return new Proxy(own, {
    get(target, name) {
      if (name === member) note()
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/**
 * Runs the work, which must end at once, and tells how it read the clock first; undefined where it
 * did not. Its errors are passed on.
 */
export function detectClockReads(work: () => void): ClockRead | undefined {
  const clocks = globalThis as unknown as Clocks
  let first: ClockRead | undefined
  const note = (read: ClockRead) => {
    first ??= read
  }
  const watched = {
    Date: watchedDate(clocks.Date, note),
    performance: watchedMember(clocks.performance, 'now', () => note('performance.now()')),
    ...(clocks.Temporal && { Temporal: watchedMember(clocks.Temporal, 'Now', () => note('Temporal.Now')) }),
  }
  const own = Object.keys(watched).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const)
  for (const [name, value] of Object.entries(watched))
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true })
  try {
    work()
  } finally {
    for (const [name, one] of own) Object.defineProperty(globalThis, name, one as PropertyDescriptor)
  }
  return first
}
