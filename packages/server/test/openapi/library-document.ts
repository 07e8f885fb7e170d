/** The OpenAPI document of the library, and functions that look up its parts. */
import assert from 'node:assert/strict'
import { makeOpenapi } from '../../src/openapi/make-openapi.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import type { ServiceSettings } from '../../src/resource/rule.ts'
import { engineRoutes } from '../../src/service/engine-routes.ts'
import { resources } from '../application/resources/index.ts'

export type Tree = { readonly [name: string]: unknown }
export type Parameter = {
  readonly name: string
  readonly in: string
  readonly schema: Tree
  readonly explode?: boolean
}
export type Operation = {
  readonly operationId: string
  readonly tags: readonly string[]
  /** Without it, that of the document. */
  readonly security?: readonly Tree[]
  readonly parameters?: readonly Tree[]
  readonly requestBody?: { readonly content: Tree }
  readonly responses: Readonly<
    Record<string, { readonly headers?: Tree; readonly content?: Readonly<Record<string, { schema: Tree }>> }>
  >
}
/** Methods with their operations, and what they share. */
export type PathItem = Readonly<Record<string, Operation>> & {
  readonly parameters?: readonly Tree[]
  readonly 'x-also-at'?: readonly string[]
}
export type Schema = { readonly required?: readonly string[]; readonly properties: Readonly<Record<string, Tree>> }
export type Document = {
  readonly tags: readonly { readonly name: string }[]
  readonly security: readonly Tree[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>>; readonly responses: Tree }
}

export const settings: ServiceSettings = { currency: 'USD', signUp: 'open' }
export const catalog = makeCatalog(resources)

export function documentOf(declared = catalog, used = settings): Document {
  return makeOpenapi(declared, used, engineRoutes({ catalog: declared, settings: used })) as Document
}

export const document = documentOf()

export function operationAt(method: string, path: string, from: Document = document): Operation {
  const operation = from.paths[path]?.[method]
  assert.ok(operation, `${method} ${path}`)
  return operation
}

/** The value that a `#/…` reference points to. */
export function resolveRef(ref: string, from: Document = document): unknown {
  const parts = ref.replace('#/', '').split('/')
  return parts.reduce<unknown>(
    (node, part) => (node as Tree | undefined)?.[part.replaceAll('~1', '/').replaceAll('~0', '~')],
    from,
  )
}

/** Each operation with its path and method. */
export function operationsOf({ paths }: Document = document) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, one]) => 'responses' in one)
      .map(([method, one]) => {
        const operation = one as Operation
        return { key: `${method.toUpperCase()} ${path}`, path, item, operation }
      }),
  )
}

/** Those of the path, and the operation's own. */
export function parametersOf(operation: Operation, item?: PathItem): readonly Parameter[] {
  return [...(item?.parameters ?? []), ...(operation.parameters ?? [])].map(
    (one) => (typeof one.$ref === 'string' ? resolveRef(one.$ref) : one) as Parameter,
  )
}

export function* walk(node: unknown): Generator<Tree> {
  if (typeof node !== 'object' || node === null) return
  if (!Array.isArray(node)) yield node as Tree
  for (const child of Object.values(node)) yield* walk(child)
}

export function schemaOf(name: string): Schema {
  const schema = document.components.schemas[name]
  assert.ok(schema, name)
  return schema
}

/** The node itself, or the target of its reference. */
export function resolved<T>(node: unknown, from: Document = document): T {
  const { $ref } = node as { readonly $ref?: string }
  return ($ref === undefined ? node : resolveRef($ref, from)) as T
}
