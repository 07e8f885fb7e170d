/** A job as its caller reads it: how far it is, and its result. */
import type { JsonSchema } from '../resource/fields/field.ts'
import { jobFields } from '../resource/jobs/job-fields.ts'
import { apiPrefix } from '../resource/words/api-prefix.ts'
import { bodyShape } from './body-shape.ts'
import { value } from './route-fields.ts'

export const jobsPath = `${apiPrefix}/_jobs`
export const jobAddress = (id: string) => `${jobsPath}/${id}`

const progressSchema = {
  type: ['object', 'null'],
  description: 'How far it is, where it says so.',
  required: ['done', 'total', 'note'],
  properties: {
    done: { type: 'number', description: 'How much is done.' },
    total: { type: ['number', 'null'], description: 'Of how much.' },
    note: { type: ['string', 'null'], description: 'One sentence.' },
  },
} as const

const resultSchema = {
  type: ['object', 'null'],
  additionalProperties: true,
  description: 'The values of its result, once it is done.',
} as const

/** A member that is always there, as null where it has no value. */
const shown = (schema: JsonSchema) => value<unknown>()(schema, { required: true })
const timeOrNull = (description: string): JsonSchema => ({ type: ['string', 'null'], format: 'date-time', description })

export const jobShape = bodyShape(
  'A job that a request has added, and that runs later.',
  {
    ...jobFields,
    progress: shown(progressSchema),
    result: shown(resultSchema),
    error: shown({ type: ['string', 'null'], description: 'Why it has failed.' }),
    dueAt: shown(timeOrNull('Where it waits: when it is tried next.')),
    startedAt: shown(timeOrNull('When its last try began.')),
    endedAt: shown(timeOrNull('When it was done, failed or was cancelled.')),
  },
  { name: 'Job' },
)
