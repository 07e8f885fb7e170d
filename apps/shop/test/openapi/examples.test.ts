/**
 * Every example of the OpenAPI document can be sent as it is: each body and each parameter, each
 * alone. The document also stays within its size.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { startService } from '../helpers/service.ts'
import { tokensOf, toolsOf } from './tools-of.ts'

type Parameter = {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly description?: string
  readonly example?: unknown
}
type Operation = {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> }
  readonly responses: object
}
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>> & { parameters?: readonly Parameter[] }>>
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly schemas: Readonly<Record<string, object>>
  }
}

const text = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')
const document: Document = JSON.parse(text)
const resolve = (one: Parameter) =>
  one.$ref ? (document.components.parameters[one.$ref.split('/').at(-1) as string] as Parameter) : one
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([, one]) => 'responses' in one)
    .map(([method, one]) => {
      const operation = one as Operation
      const all = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve)
      return { path, method: method.toUpperCase(), operation, all }
    }),
)

/** The properties of every schema, wherever it is, that nothing is said about. */
function undescribed(node: unknown, at = ''): string[] {
  if (typeof node !== 'object' || node === null) return []
  const { properties } = node as { properties?: Record<string, { description?: string; $ref?: string }> }
  // The target of a reference has the description.
  const isSilent = (one: { description?: string; $ref?: string }): boolean => {
    if (one.description) return false
    if (!one.$ref) return true
    const path = one.$ref.split('/').slice(1)
    return isSilent(path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document) as object)
  }
  const own = Object.entries(properties ?? {}).filter(([, one]) => isSilent(one))
  return [
    ...own.map(([name]) => `${at}.${name}`),
    ...Object.entries(node).flatMap(([key, one]) => undescribed(one, `${at}.${key}`)),
  ]
}

describe('the document', () => {
  it('is small enough to be read by programs that pay by the word', () => {
    assert.ok(Buffer.byteLength(JSON.stringify(document)) < 250_000)
    const uses = operations.map(({ operation }) => operation.parameters?.length ?? 0)
    const ofPaths = Object.values(document.paths).map(({ parameters }) => parameters?.length ?? 0)
    assert.ok([...uses, ...ofPaths].reduce((sum, one) => sum + one, 0) < 320)
    assert.ok(Math.max(...operations.map(({ all }) => all.length)) < 20)
  })

  it('makes few words of tools for models', () => {
    const tools = toolsOf(JSON.parse(text))
    assert.ok(tools.length > 80)
    assert.ok(tokensOf(tools) < 17_000, `${tokensOf(tools)} tokens`)
    // A model must not hold credentials, so operations that take one are no tools.
    const names = tools.map(({ name }) => name)
    for (const name of ['login', 'refresh', 'reset', 'enrolFactor']) assert.ok(!names.includes(name), name)
  })

  it('has words for every property, and an example for every parameter and body', () => {
    assert.deepEqual(undescribed(document), [])
    for (const { path, method, operation, all } of operations) {
      for (const one of all) assert.ok(one.description && one.example !== undefined, `${method} ${path}: ${one.name}`)
      // The same body under other names of its media type needs no second one.
      // JSON has no example of bytes.
      const [[type, media] = []] = Object.entries(operation.requestBody?.content ?? {})
      if (media && !type?.startsWith('image/')) assert.notEqual(media.example, undefined, `${method} ${path}`)
    }
  })

  it('has names that every provider of models takes', () => {
    for (const { operation, all } of operations) {
      assert.match(operation.operationId, /^[A-Za-z0-9_-]{1,64}$/)
      for (const { name } of all) assert.match(name, /^[A-Za-z0-9_.-]{1,64}$/)
    }
  })
})

/** The members of an object are parameters of their own (`explode`). */
function written({ name, example: value }: { name: string; example?: unknown }): string {
  const pairs =
    typeof value === 'object' && !Array.isArray(value) && value !== null ? Object.entries(value) : [[name, value]]
  return pairs.map(([key, one]) => `${key}=${encodeURIComponent(String(one))}`).join('&')
}

it('takes each of its examples', async (t) => {
  const test = await startService()
  t.after(() => test.stop())
  const [admin, other] = [await test.admin(), await test.person()]
  const credentials = { token: admin.token, key: await test.key(admin) }
  const made = { name: 'Lamp', price: 1 }
  const product = await test.ask('POST', '/api/v1/products', { body: made, ...credentials })
  /** Records that an example refers to are not the same in every service. */
  const referred: Readonly<Record<string, string>> = { productId: product.body.id, recipientId: other.id }
  const bodyOf = (example: unknown) =>
    JSON.parse(JSON.stringify(example), (name, value) => referred[name] ?? value) as unknown
  for (const { path, method, operation, all } of operations) {
    const url = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
      String(all.find((one) => one.in === 'path' && one.name === name)?.example),
    )
    const query = operation.parameters?.map(resolve).filter((one) => one.in === 'query') ?? []
    const [media] = Object.entries(operation.requestBody?.content ?? {})
    const [type, { example } = {}] = media ?? []
    const body = typeof example === 'string' ? { raw: example, type } : example && { body: bodyOf(example), type }
    // A GraphQL document is named in several ways; what goes with it needs one.
    const isNeeded = (one: Parameter) => (one as { required?: boolean }).required || one.name === 'query'
    const needed = query.filter(isNeeded)
    const optional = query.filter((one) => !needed.includes(one))
    // A write of many records requires a filter.
    const alone = needed.some(({ name }) => name === 'limit') ? [] : [undefined]
    // Some programs send the example of every parameter at once. An empty list is not sent; page
    // and cursor exclude each other.
    const whole = query.filter(({ example }) => !(Array.isArray(example) && example.length === 0))
    const ways = [
      ...[...alone, ...optional].map((one) => [...needed, ...(one ? [one] : [])]),
      ...(path === '/graphql' ? [] : [whole]),
    ]
    for (const way of ways) {
      const asked = way.map(written)
      const at = asked.length > 0 ? `${url}?${asked.join('&')}` : url
      const reply = await test.ask(method, at, { ...credentials, ...(body || {}) })
      assert.ok(reply.status !== 400 && reply.status < 500, `${method} ${at}: ${reply.status} ${reply.text}`)
    }
  }
})
