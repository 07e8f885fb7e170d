/**
 * Executes GraphQL operations. Documents that repeat are compiled where graphql-jit can compile
 * them; others run in graphql's own executor. A test compares the results of both. A compiled page
 * of records takes about half the time.
 */
import {
  BREAK,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute as executePlain,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isNonNullType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'
import type { ParsedDocument } from './documents/document.ts'

export type CompiledDocument = CompiledQuery

/** Whether an input type contains itself, directly or through others. */
function holdsItself(type: GraphQLNamedType, above: readonly GraphQLNamedType[] = []): boolean {
  if (above.includes(type)) return true
  if (!isInputObjectType(type)) return false
  return Object.values(type.getFields()).some((field) => holdsItself(getNamedType(field.type), [...above, type]))
}

/**
 * Whether graphql-jit 0.8.9 runs the document correctly. The plain executor gets what it does not:
 * - a fragment that is spread twice, once excluded by a directive, is excluded both times;
 * - the name `__proto__` is lost from results;
 * - a variable inside a literal, `{name: $name}`, is null when it was not given: a field that was
 *   not sent would be cleared;
 * - a nullable variable in a non-null position (which its default allows) is refused with another
 *   message;
 * - a variable whose type holds itself, as filters do, is compiled without end;
 * - mutations behind one that may not be null are still done when it has failed.
 */
function isRight(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema)
  const nullable = new Set<string>()
  const required = new Set<string>()
  const mutations = { fields: 0, someNeverNull: false }
  let right = true
  const wrong = () => {
    right = false
    return BREAK
  }
  visit(
    document,
    visitWithTypeInfo(types, {
      Directive: wrong,
      Field() {
        if (types.getParentType() !== schema.getMutationType()) return
        mutations.fields += 1
        mutations.someNeverNull ||= isNonNullType(types.getType())
      },
      Name: ({ value }) => (value === '__proto__' ? wrong() : undefined),
      VariableDefinition({ type, variable }) {
        const named = types.getInputType()
        if (named && holdsItself(getNamedType(named))) return wrong()
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
  const inOrder = mutations.fields < 2 || !mutations.someNeverNull
  return right && inOrder && nullable.isDisjointFrom(required)
}

/** From this use on, a document is compiled (about 2 ms). */
const compileFromUse = 3

function compile(schema: GraphQLSchema, known: ParsedDocument, name: string | undefined): CompiledDocument | null {
  const found = known.compiled.get(name ?? '')
  if (found !== undefined) return found
  let compiled: CompiledDocument | null = null
  try {
    const result = isRight(schema, known.document) ? compileQuery(schema, known.document, name) : undefined
    if (result && isCompiledQuery(result)) compiled = result
  } catch {
    // The plain executor runs what graphql-jit cannot compile.
  }
  known.compiled.set(name ?? '', compiled)
  return compiled
}

/** Expects a validated document that contains the operation. */
export async function executeDocument(known: ParsedDocument, args: ExecutionArgs): Promise<ExecutionResult> {
  const { schema, operationName, contextValue, variableValues } = args
  const compiled = known.uses < compileFromUse ? null : compile(schema, known, operationName ?? undefined)
  if (!compiled) return executePlain(args)
  // Without a prototype, because compiled code would find `constructor` on it as a variable.
  const variables = Object.assign(Object.create(null) as Record<string, unknown>, variableValues)
  const result = await compiled.query(undefined, contextValue, variables)
  // No data means that a variable was refused and nothing ran. The plain executor refuses it too,
  // with the message of the first uses.
  if (!('data' in result)) return executePlain(args)
  // In the order of the plain executor: a response tells nothing of earlier uses of the document.
  return result.errors ? { errors: result.errors, data: result.data } : result
}
