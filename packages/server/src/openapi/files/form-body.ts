/**
 * Documents bodies of `multipart/form-data`: a record with its files in one request. A part with a
 * file name is a file, and the others are values, as in cells of a table.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Resource } from '../../resource/catalog.ts'
import type { Field } from '../../resource/fields/field.ts'
import { isAlwaysRequired, isSettable } from '../../resource/fields/field-facts.ts'
import { type FileField, wordsOf } from '../../resource/fields/files/file-options.ts'
import type { BodyKind } from '../../resource/operation-kind.ts'
import { describeField } from '../../resource/words/describe-operation.ts'
import { type NamedOpenapiNode, nodesOf, type OpenapiNode, refTo } from '../openapi-node.ts'

const about = 'A part with a file name is a file; an empty part is null.'
const bytes: OpenapiNode = { type: 'string', format: 'binary' }

function partSchema(resource: Resource, name: string): OpenapiNode {
  const field = resource.fields[name] as Field
  const { holdsFiles } = field.type
  const { limits } = field as unknown as FileField
  const schema = field.type.schema(field)
  const about = describeField(resource, name, field)
  const description = [about, holdsFiles ? wordsOf(limits) : schema.description].filter(Boolean).join(' ')
  if (!holdsFiles) return { ...schema, description }
  if (holdsFiles === 'one') return { ...bytes, description }
  return { type: 'array', items: bytes, maxItems: limits.filesMax, description }
}

function sentNames({ fields, storedNames }: Resource, kind: BodyKind): readonly string[] {
  return storedNames.filter((name) => isSettable(fields[name] as Field, kind))
}

function partsOf(resource: Resource, names: readonly string[]): OpenapiNode {
  const parts = names.map((name): NamedOpenapiNode => [name, partSchema(resource, name)])
  return { type: 'object', description: about, properties: nodesOf(parts) }
}

/** The parts of a form that makes a record. Others have the same, as far as they can. */
export function formSchemas(resource: Resource): readonly NamedOpenapiNode[] {
  if (resource.fileNames.length === 0) return []
  return [[resource.schemaNames.Form, partsOf(resource, sentNames(resource, 'create'))]]
}

/** `given`: the field that the path sets. Empty where the body can have no file. */
export function formContent(resource: Resource, kind: BodyKind, given: string | undefined): OpenapiNode {
  const { fields, fileNames, schemaNames } = resource
  const names = sentNames(resource, kind).filter((name) => name !== given)
  if (!fileNames.some((name) => names.includes(name))) return {}
  const required = names.filter((name) => isAlwaysRequired(fields[name] as Field, kind))
  const isShared = isDeepStrictEqual(names, sentNames(resource, 'create'))
  const parts = isShared ? refTo('schemas', schemaNames.Form) : partsOf(resource, names)
  const schema = required.length === 0 ? parts : isShared ? { allOf: [parts], required } : { ...parts, required }
  return { 'multipart/form-data': { schema } }
}
