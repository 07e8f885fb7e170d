/**
 * The transaction of a permitted operation. All code of `perform/` that writes values of a caller
 * runs in one of these. So no path can leave out the rule for results, or the data that is stored
 * with the write.
 */
import type { Permitted } from '../policy/policy.ts'
import { authorOf } from '../record/author.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import { RestrictedError, toRestrictedError } from '../record/references/restricted.ts'
import type { Engine } from './engine.ts'
import { joinTransaction } from './join-transaction.ts'
import type { OperationResult } from './result.ts'
import { checkKeptRights, LostRightsError } from './rights/lost-rights.ts'

type TransactionWork<T> = (tx: RecordTransaction) => Promise<T>

/** Names the refusing records as far as the caller may see them; the operator sees all. */
function tellCaller(
  engine: Engine,
  { asking }: Permitted,
  { tx, error }: { tx: RecordTransaction; error: RestrictedError },
) {
  return toRestrictedError(error, tx, (resource) => engine.policy.view(asking, resource))
}

async function doWork<T>(
  engine: Engine,
  permitted: Permitted,
  { tx, work }: { tx: RecordTransaction; work: TransactionWork<T> },
) {
  const { result, bounds } = permitted
  const judged = result ? (inside: RecordTransaction) => inside.judged(result, work) : work
  try {
    const done = await (bounds ? tx.bounded(bounds, judged) : judged(tx))
    await tx.settle()
    await checkKeptRights(engine, permitted)
    return done
  } catch (error) {
    // Another error would tell the caller of records that it may see no more.
    if (!(error instanceof LostRightsError)) await checkKeptRights(engine, permitted)
    throw error instanceof RestrictedError ? await tellCaller(engine, permitted, { tx, error }) : error
  }
}

/**
 * Runs the operation's work in one transaction. Throws the rule's error for a written record that
 * breaks it, and `conflict` for a removal that other records refuse. Throws `LostRightsError` where
 * the caller has lost a right meanwhile. Nothing is stored then.
 */
export function writePermitted<R extends OperationResult>(
  engine: Engine,
  permitted: Permitted,
  work: TransactionWork<R>,
): Promise<R> {
  return engine.records.transaction(authorOf(permitted.principal, permitted.asking), async (tx) => {
    const result = await doWork(engine, permitted, { tx, work })
    await engine.beforeCommit?.(tx, result)
    return result
  })
}

/** The same for a part of the operation, which is no result yet. */
export function writePart<T>(engine: Engine, permitted: Permitted, work: TransactionWork<T>): Promise<T> {
  return engine.records.transaction(authorOf(permitted.principal, permitted.asking), (tx) =>
    doWork(engine, permitted, { tx, work }),
  )
}

/**
 * Operations in one transaction, each with its own permission, whose result is that of the
 * request. `work` performs them with the engine that it gets.
 */
export function writeTogether<R extends OperationResult>(
  { beforeCommit, ...engine }: Engine,
  { principal, asking }: Permitted,
  work: (inside: Engine, tx: RecordTransaction) => Promise<R>,
): Promise<R> {
  return engine.records.transaction(authorOf(principal, asking), async (tx) => {
    const result = await work(joinTransaction(engine, tx).engine, tx)
    await beforeCommit?.(tx, result)
    return result
  })
}
