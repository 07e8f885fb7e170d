/**
 * Checks one response against the document: its path, method, status, headers and body. Any part
 * that is not in the document is a mistake.
 */
import assert from 'node:assert/strict'
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

const documentId = 'https://bindery.example/openapi.json'
/** Paths with documents of their own: the index of pages, and the protocol of agents (MCP). */
const apart = ['/status', '/', '/mcp']
/**
 * Headers of the connection, and those of which the introduction tells: of security, of other
 * origins, of what is on its way out.
 */
const unsaid =
  /^(?:connection|keep-alive|date|transfer-encoding|content-.*|cross-origin-.*|referrer-policy|strict-transport-security|x-content-type-options|access-control-.*|traceresponse|deprecation|sunset|allow|change-position)$/
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

function makeChecker(document: Document) {
  // A schema is compiled once, wherever it is used, and stops at its first error: a third less
  // work.
  const ajv = new Ajv2020({ strict: false, inlineRefs: false, validateSchema: false, code: { optimize: false } })
  ;(addFormats as unknown as (to: Ajv2020) => void)(ajv)
  ajv.addFormat('decimal', true) // the pattern beside it says the form
  ajv.addFormat('email', /^[^@\s]+@[^@\s]+$/) // other alphabets too, as the service takes them
  ajv.addSchema({ components: { schemas: closedSchemas(document) }, $id: documentId })
  const compiled = new Map<object, ValidateFunction>()
  const unions = new Map<object, object>()
  const byPattern = Object.entries(document.paths)
    .flatMap(([path, item]) => [path, ...(item['x-also-at'] ?? [])].map((one) => [one, item] as const))
    .toSorted(([a], [b]) => a.split('{').length - b.split('{').length)
    .map(([path, item]) => [new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`), item] as const)

  function validatorOf(schema: object): ValidateFunction {
    const known = compiled.get(schema)
    if (known) return known
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"${documentId}#/`))
    const made = ajv.compile(absolute)
    compiled.set(schema, made)
    return made
  }

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
