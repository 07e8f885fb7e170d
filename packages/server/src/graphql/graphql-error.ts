/**
 * Anything that goes wrong → GraphQL's error shape, `message` and `extensions.code`. What is neither an `ApiError` nor the client's own
 * mistake says nothing of the inside.
 */
import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import { ApiError, errorCodes, isFault } from '../errors.ts'

/** Why a document was refused before anything of it ran. */
export type DocumentFault = 'GRAPHQL_PARSE_FAILED' | 'GRAPHQL_VALIDATION_FAILED'

/** What a guarded field says to nobody (the interface, section 7); the sentences of a bad credential are its own. */
const nobody = 'Authentication required'

export function documentError(message: string, code: DocumentFault, like?: GraphQLError): GraphQLError {
  return new GraphQLError(message, {
    nodes: like?.nodes,
    source: like?.source,
    positions: like?.positions,
    extensions: { code },
  })
}

function extensionsOf(error: ApiError): Record<string, unknown> {
  const { code, requiredRoles } = error
  return { code: errorCodes[code].graphql, ...(requiredRoles ? { requiredRoles } : {}) }
}

/** An error of the whole request, outside any field: `{ message, extensions: { code } }`. */
export function representRequestError(error: ApiError): GraphQLFormattedError {
  return { message: error.message, extensions: extensionsOf(error) }
}

/** The innermost cause: executors wrap what resolvers throw, some of them twice. */
function causeOf(error: GraphQLError): unknown {
  let cause: unknown = error
  for (let depth = 0; cause instanceof GraphQLError && cause.originalError && depth < 5; depth += 1)
    cause = cause.originalError
  return cause
}

/** A variable or argument that does not fit its type: executors find it, and it is the client's. */
function isInputError({ message, path }: GraphQLError, cause: unknown): boolean {
  return cause instanceof GraphQLError && (path === undefined || /^(Argument|Variable) /.test(message))
}

/** An error of the answer → what the caller sees of it. `onFault` hears of what is a bug or a fault of ours. */
export function representError(error: Readonly<Error>, onFault: (error: unknown) => void): GraphQLFormattedError {
  if (error instanceof ApiError) return representRequestError(error)
  const { locations, path, extensions } = error instanceof GraphQLError ? error : ({} as Partial<GraphQLError>)
  const where = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) }
  const cause = error instanceof GraphQLError ? causeOf(error) : error
  if (cause instanceof ApiError) {
    if (isFault(cause)) onFault(cause.cause ?? cause)
    const message = cause.code === 'unauthenticated' ? nobody : cause.message
    return { message, ...where, extensions: extensionsOf(cause) }
  }
  if (typeof extensions?.code === 'string') return { message: error.message, ...where, extensions }
  if (error instanceof GraphQLError && isInputError(error, cause))
    return { message: error.message, ...where, extensions: { code: errorCodes['bad-request'].graphql } }
  onFault(cause)
  return { message: 'Internal server error', ...where, extensions: { code: errorCodes.internal.graphql } }
}
