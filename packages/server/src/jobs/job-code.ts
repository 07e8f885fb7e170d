/** The context of a job's run: what it may do, and in whose name its writes are. */
import { engineOfRun } from '../code/code-reader.ts'
import { type CodeDeps, callerCode } from '../code/outside-code.ts'
import type { Effect } from '../effects/effect-kind.ts'
import { actingAs } from '../record/author.ts'
import type { JobCode } from '../resource/jobs/job-context.ts'
import { type Author, serviceAuthor } from '../storage/changes.ts'

type JobRunStart = { readonly name: string; readonly signal: AbortSignal; readonly effect: Effect }
export type MadeJobCode = Omit<JobCode<never>, 'input' | 'id' | 'tries' | 'step' | 'progress' | 'refuse'>
export type MakeJobCode = (run: JobRunStart) => MadeJobCode

/** The caller who added the job; its writes name the job as their cause. */
function authorOfRun({ id, origin }: Effect): Author {
  const cause = { id, depth: origin?.depth ?? 1 }
  if (!origin) return { ...serviceAuthor, cause }
  const { userId, role, credential, tenant, requestId } = origin
  return { userId, role, credential, tenant, requestId, cause }
}

export function makeJobCode(deps: CodeDeps): MakeJobCode {
  return ({ name, signal, effect }) => {
    const author = authorOfRun(effect)
    const run = { name, signal, cause: author.cause }
    return {
      ...callerCode({ ...deps, engine: engineOfRun(deps.engine, run), author }, run),
      caller: actingAs(author),
    }
  }
}
