/**
 * Documents bodies of `multipart/form-data`: a record with its files in one request. A part with a
 * file name is a file, and the others are values, as in cells of a table.
 */
import type { Resource } from '../../resource/catalog.ts'
import type { Field } from '../../resource/fields/field.ts'
import { isAlwaysRequired, isSettable } from '../../resource/fields/field-facts.ts'
import { type FileField, wordsOf } from '../../resource/fields/files/file-options.ts'
import type { BodyKind } from '../../resource/operation-kind.ts'
import { type NamedOpenapiNode, nodesOf, type OpenapiNode } from '../openapi-node.ts'

const bytes: OpenapiNode = { type: 'string', format: 'binary' }

function partSchema(field: Field): OpenapiNode {
  const { holdsFiles } = field.type
  if (!holdsFiles) return field.type.schema(field)
  const { limits } = field as unknown as FileField
  const description = wordsOf(limits)
  if (holdsFiles === 'one') return { ...bytes, description }
  return { type: 'array', items: bytes, maxItems: limits.filesMax, description }
}

/** `given`: the field that the path sets. Empty where the body can have no file. */
export function formContent(resource: Resource, kind: BodyKind, given: string | undefined): OpenapiNode {
  const { fields, fileNames } = resource
  const isSent = (name: string) => isSettable(fields[name] as Field, kind)
  if (!fileNames.some(isSent)) return {}
  const names = resource.storedNames.filter((name) => isSent(name) && name !== given)
  const parts = names.map((name): NamedOpenapiNode => [name, partSchema(fields[name] as Field)])
  const required = names.filter((name) => isAlwaysRequired(fields[name] as Field, kind))
  const about = 'A part with a file name is a file; an empty part is null.'
  const schema = {
    type: 'object',
    description: about,
    ...(required.length > 0 && { required }),
    properties: nodesOf(parts),
  }
  return { 'multipart/form-data': { schema } }
}
