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
  isNonNullType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'
import type { Known } from './document.ts'

export type Compiled = CompiledQuery

/**
 * What graphql-jit 0.8.9 gets wrong is left to the plain executor:
 * - a fragment that is spread twice, once left out by a directive, is left out both times;
 * - the name `__proto__` is lost from answers;
 * - a variable within a literal, `{name: $name}`, is null when it was not given: a field that was not sent would be cleared;
 * - a variable that may be null where no null may stand (its default allows it there) is refused in other words.
 */
function isRight(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema)
  const nullable = new Set<string>()
  const required = new Set<string>()
  let right = true
  const wrong = () => {
    right = false
    return BREAK
  }
  visit(
    document,
    visitWithTypeInfo(types, {
      Directive: wrong,
      Name: ({ value }) => (value === '__proto__' ? wrong() : undefined),
      VariableDefinition({ type, variable }) {
        if (type.kind !== Kind.NON_NULL_TYPE) nullable.add(variable.name.value)
        return false
      },
      Variable({ name }, _key, parent) {
        const isArgument = parent !== undefined && 'kind' in parent && parent.kind === Kind.ARGUMENT
        if (isNonNullType(types.getInputType())) required.add(name.value)
        return isArgument ? undefined : wrong()
      },
    }),
  )
  return right && nullable.isDisjointFrom(required)
}

/** From this use on, a document is worth compiling (about 2 ms). */
const compileFromUse = 3

function compile(schema: GraphQLSchema, known: Known, name: string | undefined): Compiled | null {
  const found = known.compiled.get(name ?? '')
  if (found !== undefined) return found
  let compiled: Compiled | null = null
  try {
    const result = isRight(schema, known.document) ? compileQuery(schema, known.document, name) : undefined
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
  const result = await compiled.query(undefined, contextValue, variables)
  // No data: a variable was refused, and nothing ran. The plain executor refuses it too, in the words of the first use.
  return 'data' in result ? result : executePlain(args)
}
