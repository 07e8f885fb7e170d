/**
 * Gathers the mistakes of a body, so that the client can correct all of them at once. The first one
 * found gives the error its sentence; the others are listed beside it.
 */
import { ApiError, type FieldProblem } from '../errors.ts'

/** A body may have a hundred thousand wrong fields. A client needs no more than these. */
const mistakesMax = 100

export type ProblemCollector = {
  /** Runs the check, and keeps a `bad-request` for the end. Throws everything else. */
  during(check: () => void): void
  add(error: ApiError): void
  readonly isFull: boolean
  readonly isEmpty: boolean
  /** Throws the first error, with the mistakes of all of them. */
  end(): void
}

export function collectProblems(): ProblemCollector {
  const errors: ApiError[] = []
  return {
    add: (error) => void errors.push(error),
    during(check) {
      try {
        check()
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'bad-request') throw error
        errors.push(error)
      }
    },
    get isFull() {
      return errors.length >= mistakesMax
    },
    get isEmpty() {
      return errors.length === 0
    },
    end() {
      const [first] = errors
      if (!first) return
      const seen = new Map<string, FieldProblem>()
      for (const mistake of errors.flatMap((error) => error.mistakes)) {
        const place = [...(mistake.within ?? []), mistake.field].join('/')
        if (!seen.has(place)) seen.set(place, mistake)
      }
      const mistakes = [...seen.values()].slice(0, mistakesMax)
      throw new ApiError(first.code, first.message, { cause: first.cause, mistakes })
    },
  }
}
