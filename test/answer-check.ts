/**
 * Checks one response against the document: its path, method, status, headers and body. Any part
 * that is not in the document is a mistake.
 */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { closedSchemas } from './closed-schemas.ts'
import type { Document, Documented, Header, Operation, PathItem, Response } from './document-shape.ts'

type Reply = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: unknown
}
type Answered = {
  readonly method: string
  readonly path: string
  readonly reply: Reply
  readonly document: () => object
}

/** Paths with documents of their own: the index of pages, and the protocol of agents (MCP). */
const apart = ['/status', '/', '/mcp']
/**
 * Headers of the connection, those of tus, and those of which the introduction tells: of security,
 * caches, rates and other origins. It also tells of what is on its way out.
 */
const unsaid =
  /^(?:connection|keep-alive|date|transfer-encoding|content-.*|cross-origin-.*|referrer-policy|strict-transport-security|x-content-type-options|access-control-.*|cache-control|vary|tus-.*|ratelimit-policy|traceresponse|deprecation|sunset|allow|change-position)$/
/** An explanation in place of the answer; the guides describe it once for all operations. */
const explained = /[?&]_explain=access(&|$)/
/** Pages for people, with the files that they load. */
const forPeople = /^(text\/(html|css|javascript)|image\/|font\/)/

/** As routing reads it: `/%62ooks` → `/books`. A malformed one is left, and refused. */
function unescaped(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/** Compiles the schemas of all documents. Each is compiled once, and stops at its first error. */
function makeAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, inlineRefs: false, validateSchema: false, code: { optimize: false } })
  ;(addFormats as unknown as (to: Ajv2020) => void)(ajv)
  ajv.addFormat('decimal', true) // the pattern beside it says the form
  ajv.addFormat('email', /^[^@\s]+@[^@\s]+$/) // other alphabets too, as the service takes them
  return ajv
}
const ajv = makeAjv()

type Component = { readonly text: string; readonly digest: string; readonly refersTo: readonly string[] }
const reference = /"#\/components\/schemas\/(\w+)"/g
const namesIn = (text: string): string[] => [...text.matchAll(reference)].map(([, name = '']) => name)

/**
 * Documents have most of their schemas alike, and compiling them is most of the work of a check. So
 * the address of a schema is the hash of its text and of all that it refers to.
 */
function makeValidators(schemas: Record<string, unknown>) {
  const validators = new Map<object, ValidateFunction>()
  const components = new Map<string, Component>()
  const addresses = new Map<string, string>()

  function componentOf(name: string): Component {
    const known = components.get(name)
    if (known) return known
    const text = JSON.stringify(schemas[name])
    const made = { text, digest: `${name} ${hash('sha256', text)}`, refersTo: namesIn(text) }
    components.set(name, made)
    return made
  }
  /** Of the text, the components that it refers to, and so on. */
  function addressOf(text: string): string {
    const referred = new Set(namesIn(text))
    for (const name of referred) for (const one of componentOf(name).refersTo) referred.add(one)
    const others = [...referred].map((name) => componentOf(name).digest).sort()
    return `https://bindery.example/${hash('sha256', [text, ...others].join('\n'))}`
  }
  function addressOfComponent(name: string): string {
    const known = addresses.get(name)
    if (known) return known
    const address = addressOf(componentOf(name).text)
    addresses.set(name, address) // first: it may refer to itself
    addSchema(address, componentOf(name).text)
    return address
  }
  function addSchema(address: string, text: string): void {
    if (ajv.schemas[address]) return
    const addressed = JSON.parse(text.replaceAll(reference, (_, name: string) => `"${addressOfComponent(name)}"`))
    ajv.addSchema({ ...addressed, $id: address })
  }
  return (schema: object): ValidateFunction => {
    const known = validators.get(schema)
    if (known) return known
    const text = JSON.stringify(schema)
    const address = addressOf(text)
    addSchema(address, text)
    const made = ajv.getSchema(address) as ValidateFunction
    validators.set(schema, made)
    return made
  }
}

function makeChecker(document: Document) {
  const validatorOf = makeValidators(closedSchemas(document))
  const unions = new Map<object, object>()
  const byPattern = Object.entries(document.paths)
    .flatMap(([path, item]) => [path, ...(item['x-also-at'] ?? [])].map((one) => [one, item] as const))
    .toSorted(([a], [b]) => a.split('{').length - b.split('{').length)
    .map(([path, item]) => [new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`), item] as const)

  function responseOf(operation: Operation, status: number): Response | undefined {
    const named = operation.responses[String(status)] ?? (status >= 400 ? operation.responses.default : undefined)
    return named?.$ref ? document.components.responses[named.$ref.split('/').at(-1) as string] : named
  }

  function checkHeaders({ headers = {} }: Response, reply: Reply, about: string): void {
    const known = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
    for (const [name, value] of reply.headers) {
      // Where one reads of a deprecation, the introduction says.
      if (unsaid.test(name) || (name === 'link' && /^[^,]*rel="deprecation"/.test(value))) continue
      assert.ok(known.has(name), `${about}: the document does not say that it has ${name}`)
    }
    for (const [name, { $ref, ...own }] of Object.entries(headers)) {
      const header = $ref ? document.components.headers[$ref.split('/').at(-1) as string] : (own as Header)
      const value = reply.headers.get(name)
      if (value === null) assert.ok(!header?.required, `${about} has no ${name}`)
      else if (header?.schema?.type === 'integer') assert.match(value, /^\d+$/, `${about}: ${name}`)
    }
  }

  /** One of the forms that an answer may have; without others the schema itself. */
  function formsOf(documented: Documented): object {
    const { schema, 'x-other-forms': others } = documented
    if (!others) return schema
    const known = unions.get(documented) ?? { anyOf: [schema, ...others] }
    unions.set(documented, known)
    return known
  }

  function checkBody({ content }: Response, reply: Reply, about: string): void {
    if (reply.text === '') return
    assert.ok(content, `${about} has a body, which the document does not know`)
    const type = reply.headers.get('content-type')?.split(';')[0] ?? 'none'
    // A media type range stands for its types (OpenAPI 3.1, section 4.8.17).
    const documented = content[type] ?? content[`${type.split('/')[0]}/*`] ?? content['*/*']
    assert.ok(documented, `${about}: ${type} is not documented`)
    if (reply.body === undefined) return
    const validate = validatorOf(formsOf(documented))
    assert.ok(validate(reply.body), `${about} is not as documented: ${ajv.errorsText(validate.errors).slice(0, 2000)}`)
  }

  /** `undefined`: nothing but a refusal, or a page for people, may come from there. */
  function itemOf(path: string): PathItem | undefined {
    return byPattern.find(([pattern]) => pattern.test(path))?.[1]
  }

  return ({ method, path, reply }: Answered): void => {
    const about = `${method} ${path.slice(0, 200)} → ${reply.status} ${reply.text.slice(0, 300)}`
    const type = reply.headers.get('content-type') ?? ''
    const item = itemOf(unescaped(path.split('?')[0] as string))
    if (apart.includes(path.split('?')[0] as string) || (reply.status === 200 && forPeople.test(type))) return
    if (reply.status === 200 && explained.test(path)) return
    const isWord = method === 'OPTIONS' || method === 'TRACE'
    // RFC 10008: a QUERY reads what a GET does. OpenAPI 3.1 has no word for it.
    const operation = item?.[method === 'HEAD' || method === 'QUERY' ? 'get' : (method.toLowerCase() as 'get')]
    if (!operation || isWord) {
      const isKnown = reply.status >= 400 || isWord || forPeople.test(type)
      assert.ok(isKnown, `${about}: the document has no such operation`)
      return
    }
    const response = responseOf(operation, reply.status)
    assert.ok(response, `${about}: the document has no such status`)
    checkHeaders(response, reply, about)
    if (method !== 'HEAD') checkBody(response, reply, about)
  }
}

/** The checkers of this process: one for each document, however many services serve it. */
const checkers = new Map<string, ReturnType<typeof makeChecker>>()
const known = new WeakMap<object, ReturnType<typeof makeChecker>>()

function checkerOf(document: object): ReturnType<typeof makeChecker> {
  const text = JSON.stringify(document)
  const checker = checkers.get(text) ?? makeChecker(JSON.parse(text))
  checkers.set(text, checker)
  known.set(document, checker)
  return checker
}

export function checkAnswer(answered: Answered): void {
  const document = answered.document()
  const check = known.get(document) ?? checkerOf(document)
  check(answered)
}
