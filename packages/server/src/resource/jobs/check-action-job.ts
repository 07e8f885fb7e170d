/** Finds mistakes in actions that add a job. */
import { doneByEngine } from '../action.ts'
import type { DeclarationCheck } from '../checks/declaration-check.ts'
import { isRepeatable } from '../endpoints/check-output.ts'

export function checkActionJobs({ declared, report, parts }: DeclarationCheck): void {
  for (const [name, { job, run, returns, creates, output }] of Object.entries(declared.actions ?? {})) {
    if (!job) continue
    const at = `actions.${name}`
    if (run !== doneByEngine) report(`${at}.job`, 'stands in defineAction(…), in place of run')
    for (const [member, value] of Object.entries({ returns, creates, output }))
      if (value !== undefined) report(`${at}.${member}`, 'means nothing beside job: the answer is the job')
    if (isRepeatable(declared, name))
      report(`${at}.job`, 'the transition is repeatable, and a repeat adds no job that it could answer with')
    if (!parts.includes(job.add as never))
      report(`${at}.job`, `adds the job "${job.add.partName}", which is not in the list of resources`)
  }
}
