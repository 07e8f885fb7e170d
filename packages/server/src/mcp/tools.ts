/**
 * The MCP tools that an agent gets: a few for all resources. Each call becomes one REST request,
 * which does the work.
 */
import { ApiError } from '../errors.ts'
import { isTable } from '../resource/members.ts'
import { factsOf, isEngineOperation } from '../resource/operation-kind.ts'
import type { Route } from '../rest/route.ts'

export type ToolName = 'list' | 'get' | 'create' | 'update' | 'upsert' | 'delete' | 'act'
type Schema = Readonly<Record<string, unknown>>
type ToolDefinition = {
  readonly method: Route['method']
  readonly about: string
  /** Its arguments besides `path`, as JSON Schema. */
  readonly properties: Readonly<Record<string, Schema>>
  readonly needs: readonly string[]
}

const query: Schema = {
  type: 'object',
  description:
    '`limit` (at most 100), `page`, `sort` ("-price,name"), `fields` ("id,name"), `expand` ("owner"), `q` (words). Filters: {"price[lte]": 10} or `filter` {"or": [{"price": {"lt": 5}}, {"owner": {"name": {"eq": "Ann"}}}]}. At a path that ends with /summary: `group`, `sum`, `average`, `least`, `most`.',
}
const shownOnly: Schema = { type: 'object', description: '`fields` and `expand`.' }
const values: Schema = { type: 'object', description: 'Fields and values.' }
const version: Schema = {
  type: 'integer',
  description: 'As `get` told it; if the record has changed, nothing is done.',
}

/** In the order of the tool list. */
export const tools: Readonly<Record<ToolName, ToolDefinition>> = {
  list: {
    method: 'GET',
    about: 'List one page of records, or groups and sums of them.',
    properties: { query },
    needs: [],
  },
  get: { method: 'GET', about: 'Get one record and its version.', properties: { query: shownOnly }, needs: [] },
  create: { method: 'POST', about: 'Create a record.', properties: { values }, needs: ['values'] },
  update: {
    method: 'PATCH',
    about: 'Change fields of a record; null clears one.',
    properties: { values, version },
    needs: ['values'],
  },
  upsert: {
    method: 'PUT',
    about: 'Replace the record with these values of a unique key, or create it.',
    properties: { on: { type: 'string', description: 'The key, as `describe` names it.' }, values, version },
    needs: ['on', 'values'],
  },
  delete: { method: 'DELETE', about: 'Delete a record.', properties: { version }, needs: [] },
  act: {
    method: 'POST',
    about: 'Do an action to a record: the path ends with its name.',
    properties: { input: { type: 'object', description: 'What it takes.' }, version },
    needs: [],
  },
}

const path: Schema = { type: 'string' }

export function inputSchemaOf(name: ToolName): Schema & { readonly type: 'object' } {
  const { properties, needs } = tools[name]
  return {
    type: 'object',
    properties: { path, ...properties },
    required: ['path', ...needs],
    additionalProperties: false,
  }
}

/**
 * The tool for a route; undefined for operations that agents do not have: replacing, importing and
 * exporting.
 */
export function toolOf({ target, upserts }: Route): ToolName | undefined {
  const { operation } = target
  if (upserts) return 'upsert'
  if (!isEngineOperation(operation)) return 'act'
  return Object.hasOwn(tools, operation) ? (operation as ToolName) : undefined
}

/**
 * Whether a call may destroy data: a change overwrites, and the effect of an action is not known.
 */
export function isDestructive(name: ToolName): boolean {
  return !isReading(name) && name !== 'create'
}

export function isReading(name: ToolName): boolean {
  return name !== 'act' && name !== 'upsert' && factsOf(name).reads
}

/** The most errors of one call that are reported. */
const faultsMax = 20

export type ToolArguments = {
  readonly path: string
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
  readonly version: number | undefined
}

function fits(value: unknown, { type }: Schema): boolean {
  if (type === 'object') return isTable(value)
  if (type === 'array') return Array.isArray(value)
  return type === 'integer' ? Number.isSafeInteger(value) : typeof value === type
}

type ToolInput = Readonly<Record<string, unknown>>

/** All errors of the arguments, one sentence each. */
function* faultsOf(
  given: ToolInput,
  known: Readonly<Record<string, Schema>>,
  needs: readonly string[],
): Generator<string> {
  for (const [argument, value] of Object.entries(given)) {
    const schema = Object.hasOwn(known, argument) ? known[argument] : undefined
    if (!schema) yield `Unknown argument ${argument.slice(0, 100)}; there are ${Object.keys(known).join(', ')}`
    else if (!fits(value, schema)) yield `${argument} must be of type ${schema.type}`
  }
  for (const argument of needs) if (given[argument] === undefined) yield `${argument} is needed`
}

/** Throws `bad-request` that names every wrong argument. */
export function checkArguments(
  given: ToolInput,
  known: Readonly<Record<string, Schema>>,
  needs: readonly string[],
): void {
  const faults = [...faultsOf(given, known, needs)].slice(0, faultsMax)
  if (faults.length > 0) throw new ApiError('bad-request', faults.join('; '))
}

/** Throws `bad-request` that names every wrong argument. */
export function parseArguments(name: ToolName, given: ToolInput): ToolArguments {
  const { properties, needs } = tools[name]
  checkArguments(given, { path, ...properties }, ['path', ...needs])
  return {
    path: given.path as string,
    query: (given.query ?? (given.on === undefined ? {} : { on: given.on })) as Record<string, unknown>,
    body: given.values ?? given.input,
    version: given.version as number | undefined,
  }
}

/**
 * `{ limit: 5, filter: { … }, fields: ['id', 'name'] }` → `limit=5&filter=…&fields=id,name`. Models
 * send lists as arrays, even where the schema asks for text.
 */
export function queryText(query: ToolArguments['query']): string {
  const textOf = (value: unknown): string => {
    if (Array.isArray(value)) return value.map(textOf).join(',')
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  }
  const texts = Object.entries(query).map(([name, value]): [string, string] => [name, textOf(value)])
  return new URLSearchParams(texts).toString()
}
