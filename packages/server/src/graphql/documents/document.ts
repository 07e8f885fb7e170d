/**
 * Parses and validates GraphQL documents, and caches them. A repeated document is compiled
 * (`execute.ts`). A new one is not, so sending ever new documents does not make the server compile.
 */
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  parse,
  type SelectionNode,
  type SelectionSetNode,
  specifiedRules,
  VariablesInAllowedPositionRule,
  validate,
  visit,
} from 'graphql'
import { boundedCache } from '../../base/bounded-cache.ts'
import type { CompiledDocument } from '../execute.ts'
import { documentError } from '../graphql-error.ts'
import { VariablesOfEarlierTypesRule } from '../schema/scalars.ts'
import { graphqlLimits } from './limit.ts'

export type ParsedDocument = {
  readonly document: DocumentNode
  uses: number
  /** By operation name, `''` where the request names none; null where compilation failed. */
  readonly compiled: Map<string, CompiledDocument | null>
}

/**
 * Longer documents are not cached but parsed each time: the memory is for documents that are likely
 * to repeat.
 */
const rememberedCharsMax = 20_000
const rememberedDocuments = 1_000
const errorsMax = 5
const rules = specifiedRules.map((rule) =>
  rule === VariablesInAllowedPositionRule ? VariablesOfEarlierTypesRule : rule,
)

function parseDocument(text: string): DocumentNode {
  try {
    return parse(text, { maxTokens: graphqlLimits.tokensMax })
  } catch (error) {
    if (error instanceof GraphQLError) throw documentError(error.message, 'GRAPHQL_PARSE_FAILED', error)
    throw error
  }
}

/**
 * The key that equal bare fields share; undefined for a selection with more than a name and an
 * alias.
 */
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
 * The document to validate: `{ id id name }` becomes `{ id name }`, which is valid when the
 * original is. Validation compares all fields of one name with each other, up to 500,000 steps.
 * Within the token limit, only fields of a single token can be that many.
 */
function withoutRepeats(document: DocumentNode): DocumentNode {
  return visit(document, { SelectionSet: onceEach })
}

export type DocumentCache = {
  /**
   * Throws a `GraphQLError` for text that does not parse; returns a list of them for a document
   * that is not valid.
   */
  read(text: string): ParsedDocument | readonly GraphQLError[]
  /** The entry of a document that `read` returned. */
  parsedOf(document: DocumentNode): ParsedDocument
}

export function makeDocumentCache(schema: GraphQLSchema): DocumentCache {
  const known = boundedCache<string, ParsedDocument>({ entriesMax: rememberedDocuments })
  const byDocument = new WeakMap<DocumentNode, ParsedDocument>()
  return {
    parsedOf: (document) => byDocument.get(document) ?? { document, uses: 0, compiled: new Map() },
    read(text) {
      const found = known.get(text)
      if (found) {
        found.uses += 1
        return found
      }
      const document = parseDocument(text)
      const errors = validate(schema, withoutRepeats(document), rules, { maxErrors: errorsMax })
      if (errors.length > 0)
        return errors.map((error) => documentError(error.message, 'GRAPHQL_VALIDATION_FAILED', error))
      const fresh: ParsedDocument = { document, uses: 1, compiled: new Map() }
      byDocument.set(document, fresh)
      if (text.length <= rememberedCharsMax) known.set(text, fresh)
      return fresh
    },
  }
}
