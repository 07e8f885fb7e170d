/** The jobs of the application for its operator: listed, tried again, given up, cancelled. */
import { defineRoute } from '../endpoint/define-route.ts'
import { documentedResponse } from '../endpoint/documented-response.ts'
import { ApiError } from '../errors.ts'
import { jobLine } from '../perform/jobs/print-job.ts'
import { jobActOf, workOf } from '../record/jobs/work-acts.ts'
import { choice } from '../resource/fields/choice.ts'
import { integer } from '../resource/fields/numbers/integer.ts'
import { text } from '../resource/fields/text.ts'
import { jobType } from '../resource/jobs/define-job.ts'
import { jobStates } from '../resource/jobs/job-context.ts'
import {
  facts,
  nextAfter,
  type OperateRouteDeps,
  operatePath,
  operateWords,
  pageSize,
  readByOperator,
} from './operate-words.ts'

export const listJobs = defineRoute({
  method: 'GET',
  path: operatePath('jobs'),
  describe: operateWords('listJobs', 'List jobs', 'In the order in which they were added, without inputs and results.'),
  ...readByOperator,
  query: {
    job: text({ maxLength: 200, description: 'Those of one declaration.' }),
    state: choice(jobStates, { description: 'Those in one state.' }),
    after: integer({ min: 0, description: 'The number of the last one of the page before.' }),
  },
  async run({ query: { job, state, after } }, { engine: { catalog, storage, clock } }: OperateRouteDeps) {
    const which = { name: job ?? undefined, state: state ?? undefined }
    const found = await storage.jobs.list({ ...which, after: after ?? 0, limit: pageSize, nowMs: clock() })
    return facts({
      names: catalog.parts.of(jobType).map(({ partName }) => partName),
      jobs: found.map((one) => jobLine(catalog, one)),
      next: nextAfter(found),
    })
  },
})

export const changeJob = defineRoute({
  method: 'POST',
  path: operatePath('jobs/:id/:act'),
  describe: operateWords(
    'changeJob',
    'Try a job again, give it up, or cancel it',
    '`retry`: a failed one waits again, and one that waits is due now. `give-up`: one that waits has failed. `cancel`: one that waits or runs ends.',
  ),
  rule: readByOperator.rule,
  limits: { rate: 'write' },
  parameters: {
    id: text({ required: true, maxLength: 100, description: 'The id of the job.' }),
    act: text({ required: true, maxLength: 10, description: '`retry`, `give-up` or `cancel`.' }),
  },
  output: { 204: documentedResponse('It is done.') },
  errors: [...readByOperator.errors, 'not-found', 'conflict'],
  async run(call, { engine, note }: OperateRouteDeps) {
    const { id, act: name } = call.parameters
    const asked = jobActOf(name)
    const found = await engine.storage.jobs.find(id, engine.clock())
    if (!asked || !found) throw new ApiError('not-found', 'There is no such job: it has ended and is kept no more')
    if (!asked.states.includes(found.state)) throw new ApiError('conflict', `The job is ${found.state}`)
    const { kind, id: effect } = workOf(found)
    await note(call, asked.event, { act: name, kind, effect })
    if ((await asked.act(engine, [found], call.caller)) === 0)
      throw new ApiError('conflict', 'It is running: wait until it has ended')
    return { status: 204 }
  },
})
