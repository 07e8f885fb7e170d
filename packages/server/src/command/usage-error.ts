/** Errors that end a command before its work: a wrong call, or Ctrl-C. */

/** The command line is wrong: an unknown resource, or a missing or impossible option. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** The user stopped the command. */
export class Interrupted extends Error {
  constructor(message = 'Interrupted') {
    super(message)
    this.name = 'Interrupted'
  }
}
