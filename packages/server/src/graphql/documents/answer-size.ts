/**
 * Measures the size of a query's response before it is printed: aliases can repeat one long text
 * many times.
 */
import { type ExecutionArgs, type ExecutionResult, GraphQLError, getOperationAST, OperationTypeNode } from 'graphql'
import { ApiError } from '../../errors.ts'
import { graphqlLimits } from './limit.ts'

/**
 * Longer texts are measured in bytes, with their escapes; for shorter ones the characters are near
 * enough.
 */
const shortText = 64
/** Quotes, commas, braces: the punctuation of a value. */
const punctuationBytes = 3

/** The bytes of the value's JSON; once they are more than `bytesMax`, some number beyond it. */
function bytesOf(value: unknown, bytesMax: number): number {
  if (typeof value === 'string')
    return punctuationBytes + (value.length > shortText ? Buffer.byteLength(JSON.stringify(value)) : value.length)
  if (typeof value !== 'object' || value === null) return punctuationBytes + String(value).length
  let bytes = punctuationBytes
  if (Array.isArray(value)) {
    for (const item of value) {
      bytes += bytesOf(item, bytesMax - bytes)
      if (bytes > bytesMax) return bytes
    }
    return bytes
  }
  for (const name in value) {
    bytes += punctuationBytes + name.length + bytesOf((value as Record<string, unknown>)[name], bytesMax - bytes)
    if (bytes > bytesMax) return bytes
  }
  return bytes
}

/**
 * The result, or an error in its place. The response to a mutation is never refused, because its
 * writes are stored; it shows few records.
 */
export function withinSize(
  result: ExecutionResult,
  { document, operationName }: Pick<ExecutionArgs, 'document' | 'operationName'>,
): ExecutionResult {
  const { answerBytesMax } = graphqlLimits
  const isMutation = getOperationAST(document, operationName)?.operation === OperationTypeNode.MUTATION
  if (isMutation || bytesOf(result.data, answerBytesMax) <= answerBytesMax) return result
  const refused = new ApiError(
    'bad-request',
    `The answer has more than ${answerBytesMax} bytes; ask for fewer records or fields`,
  )
  return { data: null, errors: [new GraphQLError(refused.message, { originalError: refused })] }
}
