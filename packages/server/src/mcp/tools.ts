/** The tools that an agent gets: a handful for all resources. Each call is one request to REST; nothing is done here. */
import { ApiError } from '../errors.ts'
import { isTable } from '../resource/members.ts'
import { factsOf, isEngineOperation } from '../resource/operation-kind.ts'
import type { Route } from '../rest/route.ts'

export type ToolName = 'list' | 'get' | 'create' | 'update' | 'delete' | 'act'
type Schema = Readonly<Record<string, unknown>>
type Tool = {
  readonly method: Route['method']
  readonly about: string
  /** Its arguments besides `path`, as JSON Schema. */
  readonly properties: Readonly<Record<string, Schema>>
  readonly needs: readonly string[]
}

const query: Schema = {
  type: 'object',
  description:
    'Query parameters: `limit` (at most 100), `page`, `sort` ("-price,name"), `fields` ("id,name"), `q` (words), and filters by field: {"price[lte]": 10}. `describe` names the fields.',
  additionalProperties: { type: ['string', 'number', 'boolean', 'object'] },
}
const values: Schema = { type: 'object', description: 'Fields and their values, as `describe` names them.' }
const version: Schema = {
  type: 'integer',
  description: 'The version that `get` told. When the record has changed since, nothing is done.',
}

/** In the order in which they are shown. */
export const tools: Readonly<Record<ToolName, Tool>> = {
  list: { method: 'GET', about: 'List records: one page of them.', properties: { query }, needs: [] },
  get: { method: 'GET', about: 'Get one record and its version.', properties: { query }, needs: [] },
  create: { method: 'POST', about: 'Create a record.', properties: { values }, needs: ['values'] },
  update: {
    method: 'PATCH',
    about: 'Change fields of a record; null clears one.',
    properties: { values, version },
    needs: ['values'],
  },
  delete: { method: 'DELETE', about: 'Delete a record.', properties: { version }, needs: [] },
  act: {
    method: 'POST',
    about: 'Do an action to a record: its path ends with the name of the action.',
    properties: { input: { type: 'object', description: 'What the action takes.' }, version },
    needs: [],
  },
}

const path: Schema = {
  type: 'string',
  description: 'A path that `describe` lists, with ids in the place of {id}: "things" or "people/42/things".',
}

export function inputSchemaOf(name: ToolName): Schema & { readonly type: 'object' } {
  const { properties, needs } = tools[name]
  return {
    type: 'object',
    properties: { path, ...properties },
    required: ['path', ...needs],
    additionalProperties: false,
  }
}

/** The tool for what a route does; undefined for what agents do not do: replacing, importing and exporting. */
export function toolOf({ target }: Route): ToolName | undefined {
  const { operation } = target
  if (!isEngineOperation(operation)) return 'act'
  return Object.hasOwn(tools, operation) ? (operation as ToolName) : undefined
}

export function isReading(name: ToolName): boolean {
  return name !== 'act' && factsOf(name).reads
}

export type Arguments = {
  readonly path: string
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
  readonly version: number | undefined
}

function fits(value: unknown, { type }: Schema): boolean {
  if (type === 'object') return isTable(value)
  return type === 'integer' ? Number.isSafeInteger(value) : typeof value === type
}

/** Throws `bad-request` that names the argument. */
export function parseArguments(name: ToolName, given: Readonly<Record<string, unknown>>): Arguments {
  const { properties, needs } = tools[name]
  const known: Readonly<Record<string, Schema>> = { path, ...properties }
  for (const [argument, value] of Object.entries(given)) {
    const schema = Object.hasOwn(known, argument) ? known[argument] : undefined
    if (!schema) throw new ApiError('bad-request', `Unknown argument ${argument.slice(0, 100)}`)
    if (!fits(value, schema)) throw new ApiError('bad-request', `${argument} must be of type ${schema.type}`)
  }
  for (const argument of ['path', ...needs])
    if (given[argument] === undefined) throw new ApiError('bad-request', `${argument} is needed`)
  return {
    path: given.path as string,
    query: (given.query ?? {}) as Record<string, unknown>,
    body: given.values ?? given.input,
    version: given.version as number | undefined,
  }
}

/** `{ limit: 5, filter: { … }, fields: ['id', 'name'] }` → `limit=5&filter=…&fields=id,name`. Models write lists as lists, whatever they are told. */
export function queryText(query: Arguments['query']): string {
  const textOf = (value: unknown): string => {
    if (Array.isArray(value)) return value.map(textOf).join(',')
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  }
  const texts = Object.entries(query).map(([name, value]): [string, string] => [name, textOf(value)])
  return new URLSearchParams(texts).toString()
}
