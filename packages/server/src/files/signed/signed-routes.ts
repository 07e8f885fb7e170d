/** The routes of uploads that clients send to the place of files themselves. */
import { bodyShape } from '../../endpoint/body-shape.ts'
import { defineRoute, type RouteTag } from '../../endpoint/define-route.ts'
import { documentedResponse } from '../../endpoint/documented-response.ts'
import { ruleAccess } from '../../endpoint/route-access.ts'
import { value } from '../../endpoint/route-fields.ts'
import type { HttpRequest } from '../../http/messages/exchange.ts'
import { namedTenant } from '../../http/named-tenant.ts'
import type { Policy } from '../../policy/policy.ts'
import { integer } from '../../resource/fields/numbers/integer.ts'
import { text } from '../../resource/fields/text.ts'
import type { Principal } from '../../resource/principal.ts'
import { anyone } from '../../resource/rules/anyone.ts'
import type { FileHandling } from '../serving/handed-on.ts'
import { confirmUpload, signUpload } from './signed-upload.ts'

const sha256 = text({
  required: true,
  maxLength: 64,
  pattern: /^[0-9a-f]{64}$/,
  description: 'The SHA-256 of the bytes, in hexadecimal.',
})

const wantedShape = bodyShape('A file that is to be sent.', {
  resource: text({ required: true, maxLength: 200, description: 'The resource of its record, as in paths.' }),
  field: text({ required: true, maxLength: 200, description: 'The field that it is for.' }),
  name: text({ required: true, maxLength: 1000, description: 'Its name.' }),
  type: text({ maxLength: 200, description: 'Its media type. The bytes decide.' }),
  size: integer({ required: true, min: 1, description: 'Its size in bytes.' }),
  sha256,
})

const member = (schema: object) => value<unknown>()(schema as never, { required: true })

const signedShape = bodyShape(
  'A signed address, for one request with the bytes.',
  {
    id: member({ type: 'string', format: 'uuid', description: 'The id of the upload.' }),
    method: member({ type: 'string', enum: ['PUT'], description: 'The method of the request.' }),
    url: member({ type: 'string', format: 'uri', maxLength: 4000, description: 'Its address.' }),
    headers: member({
      type: 'object',
      description: 'The headers that it must have.',
      additionalProperties: { type: 'string' },
    }),
    expiresAt: member({ type: 'string', format: 'date-time', description: 'Until when it may begin.' }),
  },
  { name: 'SignedUpload' },
)

const confirmedShape = bodyShape(
  'An upload that a record may take.',
  {
    id: member({ type: 'string', format: 'uuid', description: 'Its id, which a body names.' }),
    name: member({ type: 'string', description: 'Its name.' }),
    type: member({ type: 'string', description: 'Its media type, by its bytes.' }),
    size: member({ type: 'integer', description: 'Its size in bytes.' }),
    sha256: member({ type: 'string', description: 'Its SHA-256, in hexadecimal.' }),
  },
  { name: 'ConfirmedUpload' },
)

export const signedShapes = [signedShape, confirmedShape]

function callerWithin({ tenants }: Policy, caller: Principal, request: HttpRequest): Principal {
  return tenants?.within(caller, { header: namedTenant(request) }) ?? caller
}

const errors = [
  'bad-request',
  'unauthenticated',
  'forbidden',
  'not-found',
  'conflict',
  'too-large',
  'unsupported-media-type',
] as const
const headers = { 'cache-control': 'no-store' }

/** `path`: of all uploads. */
export function signedRoutes({ path, tag }: { readonly path: string; readonly tag: RouteTag }) {
  const shared = { method: 'POST', rule: ruleAccess(anyone), takesTenant: true, limits: { rate: 'write' } } as const
  return [
    defineRoute({
      ...shared,
      path: `${path}/_signed`,
      describe: {
        id: 'signUpload',
        tag,
        summary: 'Get a signed address for the bytes of a file',
        about: 'Where files are in a bucket: the client sends the bytes there itself, and has them confirmed.',
      },
      input: wantedShape,
      output: { 201: documentedResponse('The address.', { body: signedShape }) },
      errors,
      async run({ input, caller, request }, { room, pipeline }: FileHandling) {
        const sender = {
          caller: callerWithin(pipeline.engine.policy, caller, request),
          address: request.address,
        }
        const signed = await signUpload(room, sender, input as never)
        return { status: 201, headers, body: { method: 'PUT', ...signed } as never }
      },
    }),
    defineRoute({
      ...shared,
      path: `${path}/:id/_confirm`,
      describe: {
        id: 'confirmUpload',
        tag,
        summary: 'Confirm the bytes that were sent to a signed address',
        about: 'The server reads them once. A body may then name the upload by its id.',
      },
      parameters: { id: text({ required: true, maxLength: 36, description: 'The id of the upload.' }) },
      output: { 200: documentedResponse('A record may take it.', { body: confirmedShape }) },
      errors,
      async run({ parameters: { id }, caller, request }, { room, pipeline }: FileHandling) {
        const confirmed = await confirmUpload(room, callerWithin(pipeline.engine.policy, caller, request), id)
        return { status: 200, headers, body: confirmed as never }
      },
    }),
  ]
}
