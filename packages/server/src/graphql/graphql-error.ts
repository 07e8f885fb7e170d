/**
 * Turns errors into GraphQL's error shape, `message` and `extensions.code`. Unexpected errors
 * reveal nothing internal.
 */
import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import { ApiError, errorCodes } from '../errors.ts'
import { operators } from '../resource/fields/field.ts'

/**
 * Why a document was refused before it ran; clients know the codes of persisted queries by name.
 */
type DocumentFault =
  | 'GRAPHQL_PARSE_FAILED'
  | 'GRAPHQL_VALIDATION_FAILED'
  | 'PERSISTED_QUERY_NOT_FOUND'
  | 'PERSISTED_QUERY_NOT_IN_LIST'
  | 'QUERY_NOT_IN_SAFELIST'

/**
 * The message of a guarded field for an anonymous caller (the interface, section 7). A bad
 * credential is refused earlier, in its own words.
 */
const nobody = 'Authentication required'

export function documentError(message: string, code: DocumentFault, like?: GraphQLError): GraphQLError {
  return new GraphQLError(message, {
    nodes: like?.nodes,
    source: like?.source,
    positions: like?.positions,
    extensions: { code },
  })
}

/** `field`: the field that the message is about. `errors`: all fields where several are wrong. */
function extensionsOf(error: ApiError): Record<string, unknown> {
  const { code, requiredRoles, mistakes } = error
  const [first, ...others] = mistakes
  return {
    code: errorCodes[code].graphql,
    ...(requiredRoles ? { requiredRoles } : {}),
    ...(first ? { field: first.field } : {}),
    ...(others.length > 0 ? { errors: mistakes.map(({ field, detail }) => ({ field, detail })) } : {}),
  }
}

/** An error of the whole request, outside any field: `{ message, extensions: { code } }`. */
export function representRequestError(error: ApiError): GraphQLFormattedError {
  return { message: error.message, extensions: extensionsOf(error) }
}

/** The innermost cause: executors wrap errors of resolvers, sometimes twice. */
export function causeOf(error: unknown): unknown {
  let cause: unknown = error
  for (let depth = 0; cause instanceof GraphQLError && cause.originalError && depth < 5; depth += 1)
    cause = cause.originalError
  return cause
}

/**
 * Whether a variable or argument does not fit its type. The executors find that, and it is the
 * client's mistake.
 */
function isInputError({ message, path }: GraphQLError, cause: unknown): boolean {
  return cause instanceof GraphQLError && (path === undefined || /^(Argument|Variable) /.test(message))
}

/**
 * `Variable "$input" has invalid value at .price: …` → `price`; of a filter, at `.or[0].price.gte`,
 * → `price[gte]`. Without a path the name of the variable or argument.
 */
function fieldOfInput(message: string): string | undefined {
  const [, variable, argument, path = ''] =
    /^(?:Variable "\$(\w+)"|Argument "[\w.]+\((\w+):\)") has invalid value(?: at (\S+))?: /.exec(message) ?? []
  const names = path
    .replaceAll(/\[\d+\]/g, '')
    .split('.')
    .slice(1)
  const [name, last] = names.slice(-2)
  if (last !== undefined && operators.some((one) => one === last)) return `${name}[${last}]`
  return last ?? name ?? argument ?? variable
}

/**
 * Whether the request is to blame: the document, its variables or a rule was refused. All other
 * errors are bugs.
 */
export function isRefusal(error: unknown): boolean {
  const cause = causeOf(error)
  if (cause instanceof ApiError) return true
  if (!(error instanceof GraphQLError)) return false
  // Errors of compiled documents have none.
  const { extensions }: Partial<GraphQLError> = error
  return typeof extensions?.code === 'string' || isInputError(error, cause)
}

/** An error of the result in the form that the caller sees. */
export function representError(error: Readonly<Error>): GraphQLFormattedError {
  if (error instanceof ApiError) return representRequestError(error)
  const { locations, path, extensions } = error instanceof GraphQLError ? error : ({} as Partial<GraphQLError>)
  const where = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) }
  const cause = causeOf(error)
  if (cause instanceof ApiError) {
    const message = cause.code === 'unauthenticated' ? nobody : cause.message
    return { message, ...where, extensions: extensionsOf(cause) }
  }
  if (typeof extensions?.code === 'string') return { message: error.message, ...where, extensions }
  if (error instanceof GraphQLError && isInputError(error, cause)) {
    const field = fieldOfInput(error.message)
    return {
      message: error.message,
      ...where,
      extensions: { code: errorCodes['bad-request'].graphql, ...(field && { field }) },
    }
  }
  return { message: 'Internal server error', ...where, extensions: { code: errorCodes.internal.graphql } }
}
