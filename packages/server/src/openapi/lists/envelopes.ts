/**
 * The response bodies of lists and records. `fields`, `cursor` and `expand` change the form of a
 * body, and OpenAPI cannot tie a response to a parameter. So the schema is the whole form, and the
 * other forms are in `x-other-forms`, which type generators ignore. Programs read `data` and `meta`
 * in every form (docs/decisions/0072).
 */
import { listLimits } from '../../operation/list-limits.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { Json } from '../../resource/fields/field.ts'
import type { SchemaPart } from '../../resource/words/document-names.ts'
import { exampleRecord } from '../../resource/words/example.ts'
import { inSentence, labelOf } from '../../resource/words/names.ts'
import { ofWrites } from '../headers.ts'
import { jsonContent, type NamedOpenapiNode, type OpenapiNode, objectSchema, refTo } from '../openapi-node.ts'
import { responseObject } from '../responses.ts'
import { schemaName } from '../schemas.ts'
import { liveContent } from './live-parameter.ts'

const count: OpenapiNode = { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
const size: OpenapiNode = { type: 'integer', format: 'int32', minimum: 1, maximum: listLimits.pageSizeMax }

export const metaSchemas: Readonly<Record<'PageMeta' | 'CursorMeta' | 'UncountedMeta' | 'AnyPage', OpenapiNode>> = {
  AnyPage: objectSchema(
    'A list in any of its forms: by pages, by `cursor`, without a total (`count=none`). With `fields` its records have those alone, and the id.',
    {
      success: { const: true, description: 'Always true.' },
      data: { type: 'array', maxItems: listLimits.pageSizeMax, description: 'The records.', items: {} },
      meta: {
        description: 'Where it lies.',
        anyOf: ['PageMeta', 'CursorMeta', 'UncountedMeta'].map((name) => refTo('schemas', name)),
      },
    },
  ),
  PageMeta: objectSchema('Where a page lies in its list.', {
    page: { ...count, minimum: 1, description: 'The number of this page, from 1.' },
    limit: { ...size, description: 'Records on a page.' },
    total: { ...count, description: 'Records that match.' },
    totalPages: { ...count, description: 'Pages that there are.' },
    hasNextPage: { type: 'boolean', description: 'Whether a page follows.' },
    hasPrevPage: { type: 'boolean', description: 'Whether a page comes before.' },
  }),
  UncountedMeta: objectSchema('Where a page lies in a list that nobody counted: `Prefer: count=none`.', {
    page: { ...count, minimum: 1, description: 'The number of this page, from 1.' },
    limit: { ...size, description: 'Records on a page.' },
    total: { type: 'null', description: 'Not counted.' },
    totalPages: { type: 'null', description: 'Not counted.' },
    hasNextPage: { type: 'boolean', description: 'Whether a page follows.' },
    hasPrevPage: { type: 'boolean', description: 'Whether a page comes before.' },
  }),
  CursorMeta: objectSchema('Where a walk by cursor goes on.', {
    limit: { ...size, description: 'Records on a page.' },
    nextCursor: {
      type: ['string', 'null'],
      maxLength: 4000,
      description: 'The `cursor` of the next page; null on the last.',
    },
  }),
}

/** The whole form, and the other forms of the response. */
function contentOf(
  whole: { readonly schema: OpenapiNode; readonly example?: OpenapiNode },
  ...others: readonly OpenapiNode[]
): OpenapiNode {
  return { 'application/json': { ...whole, 'x-other-forms': others } }
}

function listOf(items: OpenapiNode, description: string): OpenapiNode {
  return { type: 'array', maxItems: listLimits.pageSizeMax, description, items }
}

const success: OpenapiNode = { const: true, description: 'Always true.' }

type EnvelopeForm = {
  readonly name: string
  readonly about: string
  readonly members: (data: OpenapiNode) => OpenapiNode
  /** The example of the records themselves. */
  readonly example: (data: readonly Json[]) => OpenapiNode
}

const pageExample = { page: 1, limit: 20, total: 1, totalPages: 1, hasNextPage: false, hasPrevPage: false }
const cursorExample = { limit: 20, nextCursor: null }

/** The named forms of a resource's list, the usual one first. */
function formsOf(resource: Resource): readonly [EnvelopeForm, ...EnvelopeForm[]] {
  const many = inSentence(labelOf(resource.plural))
  switch (resource.list.style) {
    case 'all':
      return [
        {
          name: resource.schemaNames.Collection,
          about: `All ${many}, or the page that was asked for.`,
          members: ({ maxItems: _, ...data }) => ({
            data,
            count: { ...count, description: 'The length of `data`.' },
          }),
          example: (data) => ({ data, count: data.length }),
        },
      ]
    case 'cursor':
      return [
        {
          name: resource.schemaNames.CursorPage,
          about: `A page of ${many}, and where the next one begins.`,
          members: (data) => ({ data, meta: refTo('schemas', 'CursorMeta') }),
          example: (data) => ({ data, meta: cursorExample }),
        },
      ]
    case 'page':
      return [
        {
          name: resource.schemaNames.Page,
          about: `A numbered page of ${many}.`,
          members: (data) => ({ success, data, meta: refTo('schemas', 'PageMeta') }),
          example: (data) => ({ success: true, data, meta: pageExample }),
        },
        {
          name: resource.schemaNames.CursorPage,
          about: `A page of ${many} in a walk by cursor.`,
          members: (data) => ({ success, data, meta: refTo('schemas', 'CursorMeta') }),
          example: (data) => ({ success: true, data, meta: cursorExample }),
        },
      ]
  }
}

/** The schemas of a resource's lists. */
export function listSchemas(resource: Resource): readonly NamedOpenapiNode[] {
  if (!resource.access.list) return []
  const data = listOf(refTo('schemas', schemaName(resource)), 'The records.')
  return formsOf(resource).map(({ name, about, members }) => [name, objectSchema(about, members(data))] as const)
}

/** The other forms of a list: by cursor, and with the fields that `fields` selects. */
function listAnswer(resource: Resource): OpenapiNode {
  const [usual, byCursor = usual] = formsOf(resource)
  const parts = refTo('schemas', schemaName(resource, 'part'))
  const example = usual.example([exampleRecord(resource)])
  const members = usual.members(listOf(parts, 'The records.'))
  const form: OpenapiNode =
    byCursor === usual
      ? { required: Object.keys(members), properties: members }
      : { allOf: [refTo('schemas', 'AnyPage')], properties: { data: { description: 'The records.', items: parts } } }
  const walked = byCursor === usual ? [] : [refTo('schemas', byCursor.name)]
  const headers = resource.list.style === 'cursor' ? [] : ['X-Total-Count']
  const shared = ['ETag', 'Link', 'Preference-Applied', 'Accept-Query']
  const content = {
    ...contentOf({ schema: refTo('schemas', usual.name), example }, ...walked, form),
    ...liveContent(resource, 'list'),
  }
  return responseObject('The records.', [...shared, ...headers], content)
}

/** The successful answers that a resource's operations share. */
export function resourceAnswers(resource: Resource, kinds: { readonly reveals: boolean }): readonly NamedOpenapiNode[] {
  const { access, schemaNames } = resource
  const whole = refTo('schemas', schemaName(resource))
  const made = kinds.reveals ? refTo('schemas', schemaName(resource, 'created')) : whole
  const part = refTo('schemas', schemaName(resource, 'part'))
  const one = inSentence(resource.label)
  const readContent = { ...contentOf({ schema: whole }, part), ...liveContent(resource, 'get') }
  const answers: readonly (readonly [boolean, SchemaPart, OpenapiNode])[] = [
    [access.list !== undefined, 'List', listAnswer(resource)],
    [access.get !== undefined, 'Read', responseObject(`The ${one}.`, ['ETag'], readContent)],
    [true, 'Written', responseObject(`The ${one} as it is now.`, ['ETag', ...ofWrites], jsonContent(whole))],
    [true, 'Made', responseObject(`The new ${one}.`, ['ETag', 'Location', ...ofWrites], jsonContent(made))],
    [kinds.reveals, 'Added', responseObject(`The new ${one}.`, ['ETag', 'Location', ...ofWrites], jsonContent(whole))],
  ]
  return answers.flatMap(([isThere, kind, node]) => (isThere ? [[schemaNames[kind], node] as const] : []))
}
