/** Documents the routes of files: their bytes, and the writes that give a record a file. */
import { ruleOfTarget } from '../../policy/rule-of.ts'
import type { Field } from '../../resource/fields/field.ts'
import { type FileField, wordsOf } from '../../resource/fields/files/file-options.ts'
import { formatOf } from '../../resource/fields/files/image-variant.ts'
import { apiPrefix } from '../../resource/words/api-prefix.ts'
import { inSentence, labelOf, typeNameOf } from '../../resource/words/names.ts'
import {
  type FileAction,
  type FileRoute,
  fileParameter,
  isLink,
  linkSeconds,
  makeFileRoutes,
  variantParameter,
} from '../../rest/file-routes.ts'
import { templateOf } from '../../rest/route.ts'
import { ofWrites } from '../headers.ts'
import { inQuery } from '../lists/query-parameter.ts'
import { bodyContent, type NamedOpenapiNode, notForModels, type OpenapiNode, refTo } from '../openapi-node.ts'
import type { OperationContext } from '../operation-object.ts'
import { pathParameters, tenantReferences, versionReferences } from '../operation-parameters.ts'
import { errorsFor, responseObject } from '../responses.ts'
import { securityOf } from '../security.ts'

type FilePlace = { readonly route: FileRoute; readonly field: FileField; readonly context: OperationContext }

const verbs: Readonly<Record<FileAction, string>> = {
  read: 'Get',
  readOne: 'Get',
  put: 'Put',
  add: 'Add',
  clear: 'Remove',
  remove: 'Remove',
  link: 'Sign',
  linkOne: 'Sign',
}

/** The bytes, of each type that the field takes. */
function contentOf({ field, route }: FilePlace): OpenapiNode {
  const ofVariants = isRead(route) ? Object.values(field.limits.variants ?? {}) : []
  const types = [...(field.limits.types ?? ['*/*']), ...ofVariants.map((one) => `image/${formatOf(one)}`)]
  return Object.fromEntries(types.map((type) => [type, { schema: {} }]))
}

const aboutVariant = 'A smaller picture in place of the original.'

const linkSchema: OpenapiNode = {
  type: 'object',
  required: ['url', 'expiresAt'],
  properties: {
    url: { type: 'string', maxLength: 4000, description: 'The address.' },
    expiresAt: { type: 'string', format: 'date-time', description: 'Until when it works.' },
  },
  additionalProperties: false,
}

/** The body of a request for a signed address. */
function linkBody({ field }: FilePlace): OpenapiNode {
  const names = Object.keys(field.limits.variants ?? {})
  const { default: usual, min, max } = linkSeconds
  const properties = {
    expiresIn: { type: 'integer', minimum: min, maximum: max, description: `In seconds; ${usual} unless said.` },
    ...(names.length > 0 && { variant: { type: 'string', enum: names, description: aboutVariant } }),
  }
  const schema = { type: 'object', properties, additionalProperties: false }
  return { content: bodyContent(schema, { expiresIn: usual }) }
}

function successOf(place: FilePlace): OpenapiNode {
  const { action, of } = place.route
  switch (action) {
    case 'read':
    case 'readOne': {
      const content = contentOf(place)
      const headers = ['ETag', 'Accept-Ranges']
      return {
        '200': responseObject('The bytes.', headers, content),
        '206': responseObject('The range that was asked for.', headers, content),
        '304': refTo('responses', 'NotModified'),
        '416': responseObject('The file has fewer bytes.', [], {
          'application/json': { schema: refTo('schemas', 'Error') },
        }),
      }
    }
    case 'link':
    case 'linkOne':
      return { '200': responseObject('The signed address.', [], { 'application/json': { schema: linkSchema } }) }
    case 'put':
      return { '200': refTo('responses', of.target.resource.schemaNames.Written), '204': refTo('responses', 'Minimal') }
    case 'add': {
      const { Record } = of.target.resource.schemaNames
      const content = { 'application/json': { schema: refTo('schemas', Record) } }
      return {
        '201': responseObject('The record with the file.', ['ETag', 'Location', ...ofWrites], content),
        '204': refTo('responses', 'Minimal'),
      }
    }
    case 'clear':
    case 'remove':
      return { '204': refTo('responses', 'Minimal') }
  }
}

const isRead = ({ action }: FileRoute) => action === 'read' || action === 'readOne'
const changesNothing = (route: FileRoute) => isRead(route) || isLink(route)
const takesBytes = ({ action }: FileRoute) => action === 'put' || action === 'add'

/** The variants of an image. */
function variantParameters({ route, field }: FilePlace): readonly OpenapiNode[] {
  const names = Object.keys(field.limits.variants ?? {})
  if (!isRead(route) || names.length === 0) return []
  const schema = { type: 'string', enum: names }
  return [inQuery({ name: variantParameter, about: aboutVariant, schema, example: names[0] as string })]
}

function operationOf(place: FilePlace): OpenapiNode {
  const { route, field, context } = place
  const { of, field: name, action } = route
  const { resource } = of.target
  const rule = ruleOfTarget(of.target)
  const words = inSentence(labelOf(name))
  const told = isRead(route)
    ? 'Takes `Range`, `If-Range` and `If-None-Match`.'
    : takesBytes(route)
      ? `The body is the file, and \`Content-Disposition\` names it. ${wordsOf(field.limits)} It is an update of the record.`
      : isLink(route)
        ? 'Answers an address that needs no credential, for a time. Each use of it is judged by the rights that its signer has then.'
        : 'It is an update of the record.'
  const of_ = { ...context, resource }
  return {
    operationId: `${verbs[action].toLowerCase()}${resource.typeName}${typeNameOf(name)}`,
    tags: [labelOf(resource.plural)],
    summary: `${verbs[action]} the ${words} of one ${inSentence(resource.label)}`,
    ...notForModels,
    description: `${told} Allowed: ${rule.type.inDocument(rule, of_)}.`,
    security: securityOf(rule, of_),
    parameters: [
      ...(changesNothing(route) ? [] : versionReferences(resource, 'update').slice(0, 1)),
      ...tenantReferences(of, context),
      ...variantParameters(place),
    ],
    ...(isLink(route) && { requestBody: linkBody(place) }),
    ...(takesBytes(route) && { requestBody: { required: true, content: contentOf(place) } }),
    responses: {
      ...successOf(place),
      ...errorsFor([
        'bad-request',
        'unauthenticated',
        'forbidden',
        'not-found',
        ...(changesNothing(route) ? [] : (['conflict', 'precondition-failed'] as const)),
        ...(isRead(route) && field.limits.scan ? (['conflict'] as const) : []),
        ...(resource.needsVersion && !changesNothing(route) ? (['precondition-required'] as const) : []),
        'too-many-requests',
        'internal',
        ...(variantParameters(place).length > 0 ? (['unavailable'] as const) : []),
      ]),
    },
  }
}

function parametersOf(route: FileRoute): readonly OpenapiNode[] {
  const ofRecord = pathParameters(route.of).map(([key]) => refTo('parameters', key))
  if (!route.path.includes(`:${fileParameter}`)) return ofRecord
  const schema = refTo('schemas', 'Id')
  const own = { name: fileParameter, in: 'path', required: true, description: 'The id of the file.', schema }
  return [...ofRecord, own]
}

/** Path → its operations. Empty where no field holds files. */
export function filePaths(context: OperationContext): readonly NamedOpenapiNode[] {
  const routes = makeFileRoutes(context.catalog).filter(({ of }) => of.mount === apiPrefix)
  return [...Map.groupBy(routes, templateOf)].map(([path, all]) => {
    const operations = all.map((route) => {
      const field = route.of.target.resource.fields[route.field] as Field as unknown as FileField
      return [route.method.toLowerCase(), operationOf({ route, field, context })] as const
    })
    const parameters = parametersOf(all[0] as FileRoute)
    return [path, { ...(parameters.length > 0 && { parameters }), ...Object.fromEntries(operations) }] as const
  })
}
