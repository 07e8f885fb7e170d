/**
 * Finds the mistakes of the references that the body of an explained write names, by the checks of
 * the write itself. A record that the caller may not name is one that does not exist.
 */
import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '../../errors.ts'
import type { Judging } from '../../policy/access-rules.ts'
import type { Permitted } from '../../policy/policy.ts'
import { authorOf } from '../../record/author.ts'
import { checkJudgedReferences } from '../../record/references/judged.ts'
import { checkTenantStays } from '../../record/references/tenant-of-record.ts'
import { checkReferences } from '../../record/stored-values.ts'
import type { ReferenceContext } from '../../record/write-context.ts'
import type { Row, Values } from '../../storage/storage.ts'
import type { Engine } from '../engine.ts'
import { checkSameParent, type DraftValues } from '../values.ts'

/** `after`: the write looks for it when these rules have held. */
export type ReferenceMistake = { readonly after: Judging; readonly error: ApiError }

/** `planned`: the record that the write would make. `sent`: the values of the body. */
type NamingWrite = { readonly before: Row | undefined; readonly planned: Values; readonly sent: DraftValues }

/** It looks records up, and locks none. */
function referenceContext({ catalog, storage }: Engine, { principal, bounds }: Permitted): ReferenceContext {
  const { find } = storage
  const transaction: ReferenceContext['transaction'] = { find, lock: (resource, where) => find(resource, where) }
  return { catalog, transaction, bounds, author: authorOf(principal), seen: new Set(), assumed: undefined }
}

async function mistakeOf(after: Judging, check: () => void | Promise<void>): Promise<readonly ReferenceMistake[]> {
  try {
    await check()
    return []
  } catch (error) {
    if (error instanceof ApiError && error.code === 'bad-request') return [{ after, error }]
    throw error
  }
}

/** In the order in which the write looks for them. */
export async function referenceMistakes(
  engine: Engine,
  permitted: Permitted,
  { before, planned, sent }: NamingWrite,
): Promise<readonly ReferenceMistake[]> {
  const { resource, under } = permitted.operation
  const context = referenceContext(engine, permitted)
  const differing = resource.storedNames.filter((name) => !isDeepStrictEqual(planned[name], before?.[name]))
  const referring = { resource, row: planned, ...(before && { changed: differing }) }
  return [
    ...(await mistakeOf('record', () => {
      if (before && under) checkSameParent(sent, under.by, before[under.by])
    })),
    ...(await mistakeOf('caller', async () => {
      if (before && resource.scope) await checkTenantStays(context, { resource, before, next: planned, differing })
      await checkJudgedReferences(context, referring)
    })),
    ...(await mistakeOf('result', () => checkReferences(context, referring))),
  ]
}
