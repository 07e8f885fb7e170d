/** The schema of a GraphQL response over HTTP, for the OpenAPI document. */

import { bodyShape } from '../endpoint/body-shape.ts'
import { value } from '../endpoint/route-fields.ts'
import { freeObject } from '../http/engine-route-texts.ts'
import type { JsonSchema } from '../resource/fields/field.ts'

const extensions: JsonSchema = {
  type: 'object',
  description: 'More about the error.',
  properties: { code: { type: 'string', maxLength: 100, description: 'A code such as `FORBIDDEN`.' } },
}
const error: JsonSchema = {
  type: 'object',
  description: 'An error.',
  required: ['message'],
  properties: {
    message: { type: 'string', maxLength: 100_000, description: 'One sentence.' },
    path: { type: 'array', maxItems: 100, items: {}, description: 'The field that failed.' },
    locations: { type: 'array', maxItems: 1000, items: {}, description: 'Where it stands in the document.' },
    extensions,
  },
}

export const graphqlAnswer = bodyShape(
  'The response to a GraphQL request.',
  {
    data: value()({
      ...freeObject('The result; null where nothing could be answered.'),
      type: ['object', 'null'],
    }),
    errors: value()({
      type: 'array',
      maxItems: 1000,
      description: 'The errors, field by field.',
      items: error,
    }),
  },
  { name: 'GraphqlAnswer' },
)
