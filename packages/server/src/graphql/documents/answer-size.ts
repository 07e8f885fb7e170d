/**
 * How large the answer to a query becomes, measured before it is written: aliases show one long
 * text many times.
 */
import { type ExecutionArgs, type ExecutionResult, GraphQLError, getOperationAST, OperationTypeNode } from 'graphql'
import { ApiError } from '../../errors.ts'
import { graphqlLimits } from './limit.ts'

/**
 * Longer texts are measured in bytes, with their escapes; of shorter ones the characters are near
 * enough.
 */
const shortText = 64
/** Quotes, commas, braces: what a value has about it. */
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
 * The result, or an error in its place. A mutation has been stored, so its answer is never refused;
 * it shows few records.
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
