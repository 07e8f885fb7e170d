/**
 * The transaction of an operation that a caller was permitted. Everything in `perform/` that writes what a caller has sent runs in one of
 * these, so no path can leave out the rule for results, or what else is stored with the write.
 */
import type { Permitted } from '../policy/policy.ts'
import { authorOf } from '../record/author.ts'
import type { Writing } from '../record/records.ts'
import type { Engine } from './engine.ts'
import type { Result } from './result.ts'

type Work<T> = (writing: Writing) => Promise<T>

function judged<T>(writing: Writing, { result }: Permitted, work: Work<T>): Promise<T> {
  return result ? writing.judged(result, work) : work(writing)
}

/** Runs the operation's work in one transaction. Throws what the rule says of a record that must not become so; nothing is stored then. */
export function writePermitted<R extends Result>(engine: Engine, permitted: Permitted, work: Work<R>): Promise<R> {
  return engine.records.transaction(authorOf(permitted.principal), async (writing) => {
    const result = await judged(writing, permitted, work)
    await engine.beforeCommit?.(writing, result)
    return result
  })
}

/** The same for a part of the operation, which is no result yet. */
export function writePart<T>(engine: Engine, permitted: Permitted, work: Work<T>): Promise<T> {
  return engine.records.transaction(authorOf(permitted.principal), (writing) => judged(writing, permitted, work))
}
