/**
 * Runs operations: compiled where a document comes again and graphql-jit can compile it, else by graphql's own executor. Both give the
 * same answers (a test compares them); compiled, a page of records takes about half the time.
 */
import {
  BREAK,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute as executePlain,
  type GraphQLSchema,
  visit,
} from 'graphql'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'
import type { Known } from './document.ts'

export type Compiled = CompiledQuery

/**
 * What graphql-jit 0.8.9 gets wrong is left to the plain executor: a fragment that is spread twice, once left out by a directive, is left
 * out both times; and the name `__proto__` is lost from answers.
 */
function isRight(document: DocumentNode): boolean {
  let right = true
  visit(document, {
    Directive() {
      right = false
      return BREAK
    },
    Name({ value }) {
      if (value !== '__proto__') return undefined
      right = false
      return BREAK
    },
  })
  return right
}

/** From this use on, a document is worth compiling (about 2 ms). */
const compileFromUse = 3

function compile(schema: GraphQLSchema, known: Known, name: string | undefined): Compiled | null {
  const found = known.compiled.get(name ?? '')
  if (found !== undefined) return found
  let compiled: Compiled | null = null
  try {
    const result = isRight(known.document) ? compileQuery(schema, known.document, name) : undefined
    if (result && isCompiledQuery(result)) compiled = result
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
  // Without a prototype: compiled code would find a variable called `constructor` there.
  const variables = Object.assign(Object.create(null) as Record<string, unknown>, variableValues)
  return compiled.query(undefined, contextValue, variables)
}
