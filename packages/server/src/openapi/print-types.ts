/**
 * Prints an OpenAPI document as TypeScript in the form of openapi-typescript: `paths` and
 * `components`. That package needs an earlier major version of the compiler than applications have
 * here. So this file prints the subset of JSON Schema that the engine's documents use.
 */
import type { OpenapiNode } from './openapi-node.ts'

type NodeValue = OpenapiNode[string]

const methods = ['get', 'put', 'post', 'patch', 'delete', 'head', 'options']

const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
const nameOf = (name: string) => (/^([A-Za-z_$][\w$]*|[1-9]\d*)$/.test(name) ? name : quote(name))

function nodeOf(json: NodeValue | undefined): OpenapiNode {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as OpenapiNode) : {}
}
const listOf = (json: NodeValue | undefined): readonly NodeValue[] => (Array.isArray(json) ? json : [])
const entriesOf = (json: NodeValue | undefined) => Object.entries(nodeOf(json)) as [string, NodeValue][]

/** `#/components/schemas/Product` → `components['schemas']['Product']` */
function printReference(reference: string): string {
  const names = reference.replace('#/components/', '').split('/')
  return `components${names.map((part) => `[${quote(part)}]`).join('')}`
}

function commentOf(json: NodeValue | undefined, indent: string): string {
  const { description, summary, deprecated } = nodeOf(json)
  const said = [summary, description].filter((text) => typeof text === 'string' && text !== '') as string[]
  const lines = [...said.flatMap((text) => text.split('\n')), ...(deprecated === true ? ['@deprecated'] : [])]
  if (lines.length === 0) return ''
  const safe = lines.map((line) => line.replaceAll('*/', '*\\/'))
  if (safe.length === 1) return `${indent}/** ${safe[0]} */\n`
  return `${indent}/**\n${safe.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}

type PrintedMember = {
  readonly name: string
  readonly type: string
  readonly optional?: boolean
  readonly about?: NodeValue
}

function printObject(members: readonly PrintedMember[], indent: string): string {
  const inner = `${indent}  `
  const lines = members.map(
    ({ name, type, optional, about }) =>
      `${commentOf(about, inner)}${inner}${nameOf(name)}${optional ? '?' : ''}: ${type}\n`,
  )
  return members.length === 0 ? 'Record<string, never>' : `{\n${lines.join('')}${indent}}`
}

const unionOf = (types: readonly string[]) => [...new Set(types)].join(' | ')

/** `{ a: string | null } | 'b'` → true; `{ a: string | null }` → false */
function isJoined(type: string): boolean {
  let depth = 0
  for (const [part] of type.matchAll(/'(?:[^'\\]|\\.)*'|\/\*.*?\*\/|[{}<>()[\]|&]/gs)) {
    if (depth === 0 && (part === '|' || part === '&')) return true
    if (/^[{<([]$/.test(part)) depth += 1
    else if (/^[}>)\]]$/.test(part)) depth -= 1
  }
  return false
}

const inParentheses = (type: string) => (isJoined(type) ? `(${type})` : type)

function printObjectSchema({ properties, required, additionalProperties }: OpenapiNode, indent: string): string {
  const needed = new Set(listOf(required))
  const members = entriesOf(properties).map(([name, about]) => ({
    name,
    type: printSchema(about, `${indent}  `),
    optional: !needed.has(name),
    about,
  }))
  const others = typeof additionalProperties === 'object' ? printSchema(additionalProperties, indent) : 'unknown'
  if (members.length === 0) return `Record<string, ${additionalProperties === false ? 'never' : others}>`
  const own = printObject(members, indent)
  return typeof additionalProperties === 'object' ? `${own} & Record<string, ${others}>` : own
}

const exactNumber = 'ExactNumber'
/** Texts that are numbers: the typed client sums them. Any text may be given for one. */
const exactFormats: readonly NodeValue[] = ['decimal', 'int64']

function printKind(kind: NodeValue, schema: OpenapiNode, indent: string): string {
  if (kind === 'string' && exactFormats.includes(schema.format as NodeValue)) return exactNumber
  if (kind === 'integer') return 'number'
  if (kind === 'array') return `${inParentheses(printSchema(schema.items, indent))}[]`
  if (kind === 'object') return printObjectSchema(schema, indent)
  return String(kind) // string, number, boolean and null have the same names
}

/** Leaves out constraints that TypeScript cannot express (patterns, ranges). */
function printSchema(json: NodeValue | undefined, indent: string): string {
  const schema = nodeOf(json)
  if (typeof schema.$ref === 'string') return printReference(schema.$ref)
  if (schema.const !== undefined) return printLiteral(schema.const)
  if (Array.isArray(schema.enum)) return unionOf(schema.enum.map(printLiteral))
  const choices = listOf(schema.anyOf ?? schema.oneOf)
  if (choices.length > 0) return unionOf(choices.map((one) => printSchema(one, indent)))
  const parts = listOf(schema.allOf)
  if (parts.length > 0) return parts.map((one) => inParentheses(printSchema(one, indent))).join(' & ')
  const kinds = Array.isArray(schema.type) ? schema.type : [schema.type ?? (schema.properties ? 'object' : null)]
  if (kinds[0] === null || kinds[0] === undefined) return 'unknown'
  return unionOf(kinds.map((kind) => printKind(kind, schema, indent)))
}

function printLiteral(value: NodeValue): string {
  return typeof value === 'string' ? quote(value) : JSON.stringify(value)
}

function printContent(content: NodeValue | undefined, indent: string): string {
  const members = entriesOf(content).map(([name, media]) => ({
    name,
    type: name === 'multipart/form-data' ? 'FormData' : printSchema(nodeOf(media).schema, `${indent}  `),
  }))
  return printObject(members, indent)
}

function printResponse(json: NodeValue, indent: string): string {
  const { $ref, content } = nodeOf(json)
  if (typeof $ref === 'string') return printReference($ref)
  const headers = { name: 'headers', type: 'Record<string, unknown>' }
  const type = content === undefined ? 'never' : printContent(content, `${indent}  `)
  return printObject([headers, { name: 'content', type, optional: content === undefined }], indent)
}

/** The schema of a parameter that is a value, or the first of its media types. */
function printParameter(parameter: OpenapiNode, indent: string): string {
  const [media] = entriesOf(parameter.content)
  return printSchema(media ? nodeOf(media[1]).schema : parameter.schema, indent)
}

/** `parameters` has those of the path first: an operation's own of the same name replaces one. */
function printParameters(document: OpenapiNode, parameters: readonly NodeValue[], indent: string): string {
  const places = new Map<string, Map<string, PrintedMember>>()
  for (const json of parameters) {
    const { $ref } = nodeOf(json)
    const name = typeof $ref === 'string' ? ($ref.split('/').at(-1) as string) : ''
    const found = name === '' ? nodeOf(json) : nodeOf(nodeOf(nodeOf(document.components).parameters)[name])
    const type = name === '' ? printParameter(found, `${indent}    `) : `components['parameters'][${quote(name)}]`
    const place = String(found.in)
    const members = places.get(place) ?? new Map<string, PrintedMember>()
    members.set(String(found.name), {
      name: String(found.name),
      type,
      optional: found.required !== true,
      about: found,
    })
    places.set(place, members)
  }
  const members = ['query', 'header', 'path', 'cookie'].map((name): PrintedMember => {
    const own = [...(places.get(name)?.values() ?? [])]
    const optional = own.every((one) => one.optional)
    return { name, type: own.length === 0 ? 'never' : printObject(own, `${indent}  `), optional }
  })
  return printObject(members, indent)
}

function printOperation(document: OpenapiNode, shared: readonly NodeValue[], operation: OpenapiNode): string {
  const indent = ' '.repeat(4)
  const { requestBody, responses, parameters } = operation
  const body = nodeOf(requestBody)
  const bodyMember: PrintedMember =
    requestBody === undefined
      ? { name: 'requestBody', type: 'never', optional: true }
      : {
          name: 'requestBody',
          type: printObject([{ name: 'content', type: printContent(body.content, `${indent}    `) }], `${indent}  `),
          optional: body.required !== true,
        }
  const answers = entriesOf(responses).map(([name, json]) => ({ name, type: printResponse(json, `${indent}    `) }))
  return printObject(
    [
      { name: 'parameters', type: printParameters(document, [...shared, ...listOf(parameters)], `${indent}  `) },
      bodyMember,
      { name: 'responses', type: printObject(answers, `${indent}  `) },
    ],
    indent,
  )
}

function printPath(document: OpenapiNode, path: OpenapiNode): string {
  const shared = listOf(path.parameters)
  const members = methods.map((name): PrintedMember => {
    const operation = path[name]
    if (operation === undefined) return { name, type: 'never', optional: true }
    return { name, type: printOperation(document, shared, nodeOf(operation)), about: operation }
  })
  return printObject(members, '  ')
}

const exactNumberType = `/** An exact number, as text. The optional member only marks the type: no value has it. */
export type ${exactNumber} = string & { readonly exactNumber?: never }`

/** A module that exports `paths` and `components`. */
export function printTypes(openapi: object): string {
  const document = openapi as OpenapiNode
  const { schemas, responses, parameters } = nodeOf(document.components)
  const section = (json: NodeValue | undefined, print: (one: NodeValue) => string) =>
    printObject(
      entriesOf(json).map(([name, about]) => ({ name, type: print(about), about })),
      '  ',
    )
  const components = [
    { name: 'schemas', type: section(schemas, (one) => printSchema(one, '    ')) },
    { name: 'responses', type: section(responses, (one) => printResponse(one, '    ')) },
    { name: 'parameters', type: section(parameters, (one) => printParameter(nodeOf(one), '    ')) },
  ]
  const paths = entriesOf(document.paths).map(([name, path]) => ({ name, type: printPath(document, nodeOf(path)) }))
  const printed = [
    `export interface paths ${printObject(paths, '')}`,
    `export interface components ${printObject(components, '')}`,
    '',
  ].join('\n')
  return [
    '/** The types of the API, written by `bindery types`. Not to be edited: the next run writes it anew. */',
    ...(printed.includes(exactNumber) ? [exactNumberType] : []),
    printed,
  ].join('\n')
}
