/** The MCP tool `batch`: sends several calls as one request to REST's batch, in one transaction. */
import { ApiError } from '../errors.ts'
import { batchLimits } from '../operation/list-limits.ts'
import { isTable } from '../resource/members.ts'
import { checkArguments, parseArguments, queryText, type ToolName, tools } from './tools.ts'

/** The tools that a batch may call: all but `list`. */
const names: readonly string[] = Object.keys(tools).filter((name) => name !== 'list')

const operationProperties = {
  tool: { type: 'string', enum: names },
  id: { type: 'string', description: 'A name for later ones: {id} in a path, {"$id": "id"} as a value.' },
  path: { type: 'string' },
  on: { type: 'string' },
  values: { type: 'object' },
  input: { type: 'object' },
  query: { type: 'object' },
  version: { type: 'integer' },
}

export const batchTool = {
  name: 'batch',
  description: 'Calls of other tools in one transaction: all are done, or none.',
  inputSchema: {
    type: 'object' as const,
    properties: {
      operations: {
        type: 'array',
        maxItems: batchLimits.operationsMax,
        items: { type: 'object', properties: operationProperties, required: ['tool', 'path'] },
      },
    },
    required: ['operations'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
}

function operationOf(given: unknown, index: number): Readonly<Record<string, unknown>> {
  const at = `operations[${index}]`
  if (!isTable(given)) throw new ApiError('bad-request', `${at} must be an object`)
  const { tool, id, ...args } = given
  if (typeof tool !== 'string' || !names.includes(tool))
    throw new ApiError('bad-request', `${at}: tool must be ${names.join(', ')}`)
  const name = tool as ToolName
  try {
    const { path, query, body, version } = parseArguments(name, args)
    if (/[?#]/.test(path)) throw new ApiError('bad-request', 'path must be one that describe lists')
    const headers = version === undefined ? {} : { 'if-match': `"${version}"` }
    const asked = Object.keys(query).length === 0 ? '' : `?${queryText(query)}`
    return { id, method: tools[name].method, path: `/${path.replace(/^\//, '')}${asked}`, headers, body }
  } catch (error) {
    if (error instanceof ApiError) throw new ApiError(error.code, `${at}: ${error.message}`)
    throw error
  }
}

/** Converts the arguments to the body of a batch. Throws `bad-request` that names the operation. */
export function batchBody(given: Readonly<Record<string, unknown>>): { readonly operations: readonly unknown[] } {
  checkArguments(given, { operations: { type: 'array' } }, ['operations'])
  return { operations: (given.operations as readonly unknown[]).map(operationOf) }
}
