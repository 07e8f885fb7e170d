/** A job as callers read it, as fields: documents, GraphQL and tools describe it by them. */
import { choice } from '../fields/choice.ts'
import type { Fields } from '../fields/field.ts'
import { json } from '../fields/nested/json-document.ts'
import { object } from '../fields/nested/object.ts'
import { float } from '../fields/numbers/float.ts'
import { integer } from '../fields/numbers/integer.ts'
import { text } from '../fields/text.ts'
import { timestamp } from '../fields/times/timestamp.ts'
import { jobStates } from './job-context.ts'

/** The members of each job, whatever its result. */
export const jobFields = {
  id: text({ required: true, description: 'The id of the job.' }),
  job: text({ required: true, description: 'The name of its declaration.' }),
  state: choice(jobStates, { required: true, description: 'Only `waiting` and `running` jobs change.' }),
  progress: object(
    {
      done: float({ required: true, description: 'How much is done.' }),
      total: float({ description: 'Of how much.' }),
      note: text({ description: 'One sentence.' }),
    },
    { description: 'How far it is, where it says so.' },
  ),
  result: json({ description: 'The values of its result, once it is done.' }),
  error: text({ description: 'Why it has failed.' }),
  tries: integer({ required: true, description: 'How often it was tried.' }),
  addedAt: timestamp({ required: true, description: 'When it was added.' }),
  dueAt: timestamp({ description: 'Where it waits: when it is tried next.' }),
  startedAt: timestamp({ description: 'When its last try began.' }),
  endedAt: timestamp({ description: 'When it was done, failed or was cancelled.' }),
} as const satisfies Fields

/** A job with this output. */
export function fieldsOfJob(output: Fields = {}): Fields {
  if (Object.keys(output).length === 0) return jobFields
  return { ...jobFields, result: object(output, { description: 'Its result, once it is done.' }) }
}
