/**
 * Refuses references to records that the caller may not see, where those records decide about the
 * write (`judgedReferences`). Otherwise the answer would tell of them: a caller could name a record
 * and try values until one matches. It comes before all that looks at such a record.
 */
import { collectProblems } from '../../operation/problem-collector.ts'
import type { Resource } from '../../resource/catalog.ts'
import { all, equal, type Scalar } from '../../resource/condition.ts'
import type { Values } from '../../storage/storage.ts'
import type { ReferenceContext } from '../write-context.ts'
import { referencesAfter, refersToNone } from './referable.ts'

type JudgedRow = {
  readonly resource: Resource
  /** The final values of the record that refers. */
  readonly row: Values
  /** The fields that differ; absent for a new record. */
  readonly changed?: readonly string[]
}

/** Throws `bad-request`, as for a record that does not exist. The service itself sees all. */
export async function checkJudgedReferences(context: ReferenceContext, { resource, row, changed }: JudgedRow) {
  const { bounds, catalog, transaction } = context
  const { judgedReferences, fields, idField } = resource
  if (!bounds || judgedReferences.length === 0) return
  const touched = changed && referencesAfter(resource, changed)
  const mistakes = collectProblems()
  for (const name of judgedReferences) {
    const { reference, setBy } = fields[name] ?? {}
    const id = (row[name] ?? null) as Scalar | null
    // The engine names the caller, and the record above in the path.
    if (!reference || id === null || setBy !== undefined || touched?.includes(name) === false) continue
    const target = catalog.get(reference.resource)
    if (target === resource && id === row[idField]) continue
    const seen = bounds.seen(target)
    if (seen.kind === 'true') continue
    if (!(await transaction.find(target, all(equal(target.idField, id), seen))))
      mistakes.add(refersToNone(name, target))
  }
  mistakes.end()
}
