/**
 * The requests that endpoints of webhooks get, as `webhooks` of the document. There is one for each
 * resource that declares changes, one for a test, and one for changes that cannot be told.
 */
import { followedBy } from '../../resource/effects/declared-changes.ts'
import { findWebhooks } from '../../resource/webhooks/find-webhooks.ts'
import { lostEvent, pingEvent, webhookEvents } from '../../resource/webhooks/webhook-words.ts'
import { typeNameOf } from '../../resource/words/names.ts'
import { freeObject, jsonContent, nodesOf, type OpenapiNode } from '../openapi-node.ts'
import { pluralLabelOf } from '../schema-names.ts'
import { type DescribedField, shownSchema } from '../schemas.ts'

const headers: readonly (readonly [name: string, about: string, schema: OpenapiNode])[] = [
  ['webhook-id', 'The id of the delivery: the same at each try, so do the work of an id once.', { type: 'string' }],
  ['webhook-timestamp', 'The time of the try, in seconds since 1970. Refuse an old one.', { type: 'integer' }],
  [
    'webhook-signature',
    '`v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; during a rotation two, with a space between.',
    { type: 'string' },
  ],
]

const responses: OpenapiNode = {
  '2XX': { description: 'The delivery has arrived.' },
  '410': { description: 'The endpoint wants nothing any more: the server switches it off.' },
  default: { description: 'The server tries again later. With `Retry-After` it waits as long.' },
}

type HookRequest = { readonly id: string; readonly summary: string; readonly tag: string; readonly data: OpenapiNode }

function requestOf(types: readonly string[], { id, summary, tag, data }: HookRequest): OpenapiNode {
  const body: OpenapiNode = {
    type: 'object',
    description: 'An event, as Standard Webhooks recommends its form.',
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: { type: 'string', enum: types, description: 'The resource and the event.' },
      timestamp: { type: 'string', format: 'date-time', description: 'When the change was made.' },
      data,
    },
  }
  return {
    post: {
      operationId: `receive${id}`,
      tags: [tag],
      summary,
      security: [],
      parameters: headers.map(([name, description, schema]) => ({
        ...{ name, in: 'header', required: true, description, schema },
      })),
      requestBody: { required: true, description: 'The signature is that of these bytes.', content: jsonContent(body) },
      responses,
    },
  }
}

/** A record as its changes tell it: with the fields that `changes` names. */
function changedSchema(part: DescribedField): OpenapiNode {
  const names = part.resource.shownNames ?? []
  return { type: 'object', properties: nodesOf(names.map((name) => [name, shownSchema(part, name)] as const)) }
}

/** An event of the feed; of a thin endpoint, the id alone. */
function dataOf(part: DescribedField): OpenapiNode {
  const { resource } = part
  const { idField, fields } = resource
  return {
    type: 'object',
    description: 'The change as the owner of the endpoint sees it. A thin one has `resource` and `id` alone.',
    required: ['resource', 'id'],
    properties: {
      type: { type: 'string', enum: webhookEvents, description: 'The fate of the record.' },
      resource: { type: 'string', const: resource.slug, description: 'The resource, as its path has it.' },
      id: { ...fields[idField]?.type.schema(fields[idField] as never), description: 'The id of the record.' },
      version: { type: 'integer', description: 'The version that the write made.' },
      record: { ...changedSchema(part), description: 'The record as it is now; for `enter` and `change`.' },
      before: freeObject('The former values of the fields that have changed.'),
    },
  }
}

/** Empty in an application without webhooks. */
export function webhookRequests({ catalog, settings }: Omit<DescribedField, 'resource'>): OpenapiNode {
  const found = findWebhooks(catalog)
  if (!found) return {}
  const tag = pluralLabelOf(found.endpoints)
  const told = [...catalog.resources.values()].filter((one) => followedBy(one))
  const ofResources = told.map((resource) => {
    const { slug, plural } = resource
    const types = webhookEvents.map((event) => `${slug}.${event}`)
    const summary = `A change of ${slug}`
    return [
      slug,
      requestOf(types, { id: typeNameOf(plural), summary, tag, data: dataOf({ catalog, settings, resource }) }),
    ] as const
  })
  const nothing = freeObject('Nothing.', false)
  const ofNone = [
    [pingEvent, requestOf([pingEvent], { id: 'Ping', summary: 'A test', tag, data: nothing })],
    [
      lostEvent,
      requestOf([lostEvent], {
        ...{ id: 'Lost', tag, data: nothing },
        summary: 'Changes that cannot be told: read the lists again',
      }),
    ],
  ] as const
  return { webhooks: nodesOf([...ofResources, ...ofNone]) }
}
