/**
 * Documents: text → parsed and validated, remembered. A document that is asked again is compiled (`execute.ts`); one that was never asked
 * before costs no compilation, so nobody can make the server compile by sending ever new ones.
 */
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  parse,
  type SelectionNode,
  type SelectionSetNode,
  validate,
  visit,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import type { Compiled } from './execute.ts'
import { documentError } from './graphql-error.ts'
import { graphqlLimits } from './limit.ts'

export type Known = {
  readonly document: DocumentNode
  uses: number
  /** By operation name, `''` for the only one; null where compiling failed. */
  readonly compiled: Map<string, Compiled | null>
}

/** Longer ones are parsed each time: memory is for what comes again. */
const rememberedCharsMax = 20_000
const rememberedDocuments = 1_000
const errorsMax = 5

function parseDocument(text: string): DocumentNode {
  try {
    return parse(text, { maxTokens: graphqlLimits.tokensMax })
  } catch (error) {
    if (error instanceof GraphQLError) throw documentError(error.message, 'GRAPHQL_PARSE_FAILED', error)
    throw error
  }
}

/** What makes one bare field the same as another; undefined for whatever holds more than a name and an alias. */
function bareName(selection: SelectionNode): string | undefined {
  if (selection.kind !== Kind.FIELD) return undefined
  const { alias, name, arguments: args, directives, selectionSet } = selection
  const isBare = !selectionSet && !args?.length && !directives?.length
  return isBare ? `${alias?.value ?? name.value}: ${name.value}` : undefined
}

function onceEach(set: SelectionSetNode): SelectionSetNode | undefined {
  const seen = new Set<string>()
  const selections = set.selections.filter((selection) => {
    const name = bareName(selection)
    if (name === undefined) return true
    const isNew = !seen.has(name)
    seen.add(name)
    return isNew
  })
  return selections.length === set.selections.length ? undefined : { ...set, selections }
}

/**
 * The document to validate: `{ id id name }` as `{ id name }`, which is valid when the other is. Validation compares each field of a name with every
 * other, up to 500,000 steps, and only fields of a single token can be so many within the tokens that we take.
 */
function withoutRepeats(document: DocumentNode): DocumentNode {
  return visit(document, { SelectionSet: onceEach })
}

export type Documents = {
  /** Throws a `GraphQLError` for what does not parse; a list of them for what is not valid. */
  read(text: string): Known | readonly GraphQLError[]
  /** What is known of a document that was read here. */
  knownOf(document: DocumentNode): Known
}

export function makeDocuments(schema: GraphQLSchema): Documents {
  const known = new LRUCache<string, Known>({ max: rememberedDocuments })
  const byDocument = new WeakMap<DocumentNode, Known>()
  return {
    knownOf: (document) => byDocument.get(document) ?? { document, uses: 0, compiled: new Map() },
    read(text) {
      const found = known.get(text)
      if (found) {
        found.uses += 1
        return found
      }
      const document = parseDocument(text)
      const errors = validate(schema, withoutRepeats(document), undefined, { maxErrors: errorsMax })
      if (errors.length > 0)
        return errors.map((error) => documentError(error.message, 'GRAPHQL_VALIDATION_FAILED', error))
      const fresh: Known = { document, uses: 1, compiled: new Map() }
      byDocument.set(document, fresh)
      if (text.length <= rememberedCharsMax) known.set(text, fresh)
      return fresh
    },
  }
}
