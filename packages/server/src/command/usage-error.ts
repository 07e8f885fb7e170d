/** What ends a command before its work: it was called wrongly, or stopped by its user. */

/** The command line itself is wrong: unknown resource, missing or impossible option. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** The person at the terminal stopped it. */
export class Interrupted extends Error {
  constructor(message = 'Interrupted') {
    super(message)
    this.name = 'Interrupted'
  }
}
