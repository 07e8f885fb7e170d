/**
 * Runs operations: compiled where a document comes again and graphql-jit can compile it, else by graphql's own executor. Both give the
 * same answers (a test compares them); compiled, a page of records takes about half the time.
 */
import { type ExecutionArgs, type ExecutionResult, execute as executePlain, type GraphQLSchema } from 'graphql'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'
import type { Known } from './document.ts'

export type Compiled = CompiledQuery

/** From this use on, a document is worth compiling (about 2 ms). */
const compileFromUse = 3

function compile(schema: GraphQLSchema, known: Known, name: string | undefined): Compiled | null {
  const found = known.compiled.get(name ?? '')
  if (found !== undefined) return found
  let compiled: Compiled | null = null
  try {
    const result = compileQuery(schema, known.document, name ?? undefined)
    if (isCompiledQuery(result)) compiled = result
  } catch {
    // What it cannot compile, the plain executor runs.
  }
  known.compiled.set(name ?? '', compiled)
  return compiled
}

/** The operation has been detected in the document, which has been validated. */
export async function executeKnown(known: Known, args: ExecutionArgs): Promise<ExecutionResult> {
  const { schema, operationName, contextValue, variableValues } = args
  const compiled = known.uses < compileFromUse ? null : compile(schema, known, operationName ?? undefined)
  if (!compiled) return executePlain(args)
  return compiled.query(undefined, contextValue, (variableValues ?? {}) as Record<string, unknown>)
}
