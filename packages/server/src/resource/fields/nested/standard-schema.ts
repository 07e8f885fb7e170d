/**
 * The interface of schema libraries (standardschema.dev, version 1), so that a schema of Zod or
 * Valibot fits without a dependency on either.
 */
import { ApiError } from '../../../errors.ts'
import { isTable } from '../../members.ts'
import { fieldError, type JsonSchema } from '../field.ts'

type Segment = PropertyKey | { readonly key: PropertyKey }
export type SchemaIssue = { readonly message: string; readonly path?: readonly Segment[] | undefined }
type SchemaResult<T> = { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] }

/** `I`: what it takes; `O`: what it makes of that. */
export type StandardSchema<I = unknown, O = I> = {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<O> | Promise<SchemaResult<O>>
    readonly types?: { readonly input: I; readonly output: O } | undefined
    /** Newer libraries describe themselves. */
    readonly jsonSchema?: { readonly input: (options: { readonly target: string }) => Record<string, unknown> }
  }
}

const issuesMax = 100
const messageMax = 300

export function isStandardSchema(value: unknown): value is StandardSchema {
  const isHolder = (typeof value === 'object' && value !== null) || typeof value === 'function'
  const standard: unknown = isHolder ? (value as Partial<StandardSchema>)['~standard'] : undefined
  return isTable(standard) && standard.version === 1 && typeof standard.validate === 'function'
}

/** Whether it validates asynchronously, as far as a first try tells. */
export function isAsync(schema: StandardSchema): boolean {
  try {
    const found = schema['~standard'].validate({})
    if (!(found instanceof Promise)) return false
    found.catch(() => undefined)
    return true
  } catch {
    return false
  }
}

/** `address.zip must have 5 digits`, or `address.zip: Invalid input`, as the message is written. */
function problemOf(name: string, { message, path = [] }: SchemaIssue) {
  const keys = path.map((one) => (typeof one === 'object' ? one.key : one))
  const steps = [name, ...keys.map((key) => String(key).slice(0, 100))]
  const field = steps.join('.')
  const told = message.slice(0, messageMax)
  return { field, path: steps, detail: /^\p{Ll}/u.test(told) ? `${field} ${told}` : `${field}: ${told}` }
}

/** The value that the schema makes of this one. Throws `bad-request` with a mistake an issue. */
export function validateBy(schema: StandardSchema, value: unknown, name: string): unknown {
  const result = schema['~standard'].validate(value)
  if (result instanceof Promise) {
    result.catch(() => undefined)
    throw new Error(`The schema of ${name} validates asynchronously: a json field needs one that does not`)
  }
  if (!result.issues) return result.value
  const mistakes = result.issues.slice(0, issuesMax).map((issue) => problemOf(name, issue))
  const [first] = mistakes
  throw first ? new ApiError('bad-request', first.detail, { mistakes }) : fieldError(name, 'does not fit its schema')
}

/** The JSON Schema that it offers of itself; an empty one, which takes all, otherwise. */
export function jsonSchemaOf(schema: StandardSchema | undefined): JsonSchema {
  try {
    const { $schema: _, ...said } = schema?.['~standard'].jsonSchema?.input({ target: 'draft-2020-12' }) ?? {}
    return JSON.parse(JSON.stringify(said)) as JsonSchema
  } catch {
    return {} // libraries throw for what JSON Schema cannot say
  }
}
