/**
 * The transaction of an operation that a caller was permitted. Everything in `perform/` that writes
 * what a caller has sent runs in one of these, so no path can leave out the rule for results, or
 * what else is stored with the write.
 */
import type { Permitted } from '../policy/policy.ts'
import { authorOf } from '../record/author.ts'
import { HeldError, tellHeld } from '../record/held.ts'
import type { Writing } from '../record/records.ts'
import { always } from '../resource/condition.ts'
import type { Engine } from './engine.ts'
import type { Result } from './result.ts'

type Work<T> = (writing: Writing) => Promise<T>

/** Names the refusing records as far as the caller may see them; the operator sees all. */
function tellCaller(engine: Engine, { asking }: Permitted, { writing, error }: { writing: Writing; error: HeldError }) {
  const isConsole = asking.kind === 'user' && asking.via === 'console'
  return tellHeld(error, writing, (resource) => (isConsole ? always : engine.policy.view(asking, resource).where))
}

async function doWork<T>(engine: Engine, permitted: Permitted, { writing, work }: { writing: Writing; work: Work<T> }) {
  const { result } = permitted
  try {
    const done = result ? await writing.judged(result, work) : await work(writing)
    await writing.settle()
    return done
  } catch (error) {
    throw error instanceof HeldError ? await tellCaller(engine, permitted, { writing, error }) : error
  }
}

/**
 * Runs the operation's work in one transaction. Throws what the rule says of a record that must not
 * become so, and `conflict` for a removal that other records refuse; nothing is stored then.
 */
export function writePermitted<R extends Result>(engine: Engine, permitted: Permitted, work: Work<R>): Promise<R> {
  return engine.records.transaction(authorOf(permitted.principal), async (writing) => {
    const result = await doWork(engine, permitted, { writing, work })
    await engine.beforeCommit?.(writing, result)
    return result
  })
}

/** The same for a part of the operation, which is no result yet. */
export function writePart<T>(engine: Engine, permitted: Permitted, work: Work<T>): Promise<T> {
  return engine.records.transaction(authorOf(permitted.principal), (writing) =>
    doWork(engine, permitted, { writing, work }),
  )
}
