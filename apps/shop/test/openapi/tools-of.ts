/**
 * Turns each operation of an OpenAPI document into a tool for a model, as bridges from OpenAPI to
 * MCP do. A tool has a name, a description, and the schema of parameters and body with every
 * reference resolved. Examples are left out, as bridges leave them out.
 */
export type Tool = {
  readonly name: string
  readonly description: string
  readonly inputSchema: { readonly properties: object }
}
type Tree = { readonly [name: string]: unknown }

const methods = ['get', 'put', 'post', 'patch', 'delete']
const unsaid = new Set(['example', 'examples', 'readOnly', 'writeOnly', 'additionalProperties'])

export function toolsOf(document: Tree): Tool[] {
  function resolve(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(resolve)
    if (typeof node !== 'object' || node === null) return node
    const { $ref, ...rest } = node as Tree
    if (typeof $ref !== 'string') {
      const said = Object.entries(rest).filter(([key]) => !unsaid.has(key))
      return Object.fromEntries(said.map(([key, one]) => [key, resolve(one)]))
    }
    const found = $ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, key) => (at as Tree)[key], document)
    return { ...(resolve(found) as object), ...(resolve(rest) as object) }
  }
  const whole = (node: unknown) => resolve(node) as Tree

  function toolOf(operation: Tree, shared: readonly unknown[]): Tool {
    const parameters = [...shared, ...((operation.parameters ?? []) as unknown[])].map(whole)
    const body = operation.requestBody as { readonly required?: boolean; readonly content: Tree } | undefined
    const [media] = Object.values(body?.content ?? {})
    const properties = {
      ...Object.fromEntries(
        parameters.map(({ name, schema, description }) => [name, { ...(schema as object), description }]),
      ),
      ...(media ? { requestBody: whole((media as Tree).schema) } : {}),
    }
    const needed = parameters.filter((one) => one.required).map(({ name }) => name)
    const required = [...needed, ...(body?.required ? ['requestBody'] : [])]
    const description = String(operation.description ?? operation.summary)
    const inputSchema = { type: 'object', properties, ...(required.length > 0 ? { required } : {}) }
    return { name: String(operation.operationId), description, inputSchema }
  }

  return Object.values(document.paths as Tree).flatMap((item) => {
    const { parameters = [], ...operations } = item as Tree
    return methods.flatMap((method) => {
      const operation = operations[method] as Tree | undefined
      return operation && operation['x-mcp'] !== false ? [toolOf(operation, parameters as unknown[])] : []
    })
  })
}

/** Four characters are a token, or nearly so: a tokenizer counts a little less. */
export function tokensOf(tools: readonly Tool[]): number {
  return Math.ceil(JSON.stringify(tools).length / 4)
}
