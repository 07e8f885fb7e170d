/** An import as one operation, which counts its lines also where it ends early. */
import { ApiError, rephrased, toApiError } from '../../errors.ts'
import type { ImportOperation } from '../../operation/operation.ts'
import type { Permitted } from '../../policy/policy.ts'
import type { Engine } from '../engine.ts'
import type { ImportProblem, ImportResult } from '../result.ts'
import { importLines } from './import-lines.ts'

const problemsShown = 100

type Counts = Pick<ImportResult, 'created' | 'updated' | 'rejected'>

/** The error that ends an import, with the counts, and the line from which the caller may go on. */
function endedEarly(thrown: unknown, counts: Counts, nextLine: number): ApiError {
  const error = toApiError(thrown)
  const { created, updated, rejected } = counts
  const done = `${created} created, ${updated} updated, ${rejected} rejected; go on with line ${nextLine}`
  return rephrased(error, `${error.message} (${done})`)
}

/** Throws an error that ends the import, such as `unavailable`. */
export async function performImport(engine: Engine, permitted: Permitted<ImportOperation>): Promise<ImportResult> {
  const counts = { created: 0, updated: 0, rejected: 0 }
  const problems: ImportProblem[] = []
  const faults: ApiError[] = []
  let lastLine = 0
  try {
    for await (const done of importLines(engine, permitted)) {
      counts[done.done] += 1
      lastLine = done.line
      if (done.done !== 'rejected') continue
      if (problems.length < problemsShown) problems.push(done)
      if (done.fault !== undefined && faults.length < problemsShown)
        faults.push(new ApiError('internal', `A fault rejected line ${done.line} of an import`, { cause: done.fault }))
    }
  } catch (error) {
    throw lastLine === 0 ? error : endedEarly(error, counts, lastLine + 1)
  }
  return { kind: 'import', ...counts, problems, faults }
}
