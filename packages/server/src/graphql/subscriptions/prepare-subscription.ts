/**
 * A subscription of a document → the list that it follows, and the text of each event. The document
 * is executed once for each event and each set of streams that send the same text.
 */
import { hash } from 'node:crypto'
import {
  type DocumentNode,
  type ExecutionResult,
  executeSubscriptionEvent,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getArgumentValues,
  type ValidatedSubscriptionArgs,
  validateSubscriptionArgs,
  visit,
} from 'graphql'
import { type ErrorCode, errorCodes } from '../../errors.ts'
import { parameterError } from '../../operation/parameters.ts'
import type { Resource } from '../../resource/catalog.ts'
import { type Fragments, fieldsBelow, namesBelow } from '../documents/selection.ts'
import { representError } from '../graphql-error.ts'
import { parametersOf } from '../schema/filter-input.ts'
import { printNext, printRefusal } from './print-result.ts'
import { afterName } from './subscription-fields.ts'
import type { AskedSubscription, StreamBlock } from './subscription-source.ts'

type SentSubscription = {
  readonly document: DocumentNode
  readonly operationName: string | null | undefined
  readonly variables: Readonly<Record<string, unknown>>
  /** The document as it was sent. */
  readonly text: string
}

type RootSelection = {
  readonly field: GraphQLField<unknown, unknown>
  readonly nodes: readonly FieldNode[]
  readonly resource: Resource
}

/** Validation allows one field alone, which several nodes may select. */
function rootOf({ schema, operation }: ValidatedSubscriptionArgs, fragments: Fragments): RootSelection {
  const nodes = fieldsBelow({ fieldNodes: [operation], fragments })
  const field = schema.getSubscriptionType()?.getFields()[nodes[0]?.name.value ?? '']
  if (!field) throw new GraphQLError('A subscription needs a field')
  return { field, nodes, resource: field.extensions.followed as Resource }
}

/**
 * Fields that the log does not keep, and other records, would be stale: no change says that they
 * differ. Throws `bad-request`.
 */
function checkShown({ resource, nodes }: RootSelection, fragments: Fragments): void {
  const { idField, shownNames = [], slug } = resource
  const shown = new Set([...shownNames, idField, '__typename'])
  for (const name of namesBelow({ fieldNodes: nodes, fragments }, 'record'))
    if (!shown.has(name))
      throw parameterError(
        name,
        `A subscription cannot show ${name} of ${slug}: it shows what changes of the declaration keeps; read ${name} by a query`,
      )
}

/** The variables on which a text depends. All others are of the list. */
function variablesOfText(document: DocumentNode): ReadonlySet<string> {
  const names = new Set<string>()
  visit(document, {
    Directive: (directive) =>
      visit(directive, {
        Variable: ({ name }) => {
          names.add(name.value)
        },
      }),
  })
  return names
}

function keyOf({ text, document, operationName, variables }: SentSubscription): string {
  const named = [...variablesOfText(document)].map((name) => [name, variables[name]])
  return hash('sha256', JSON.stringify([text, operationName, named]), 'base64url')
}

type EndData = { readonly error: string; readonly code: ErrorCode; readonly position?: string }

/** The value of the root field. */
function eventOf({ event, data }: StreamBlock, idField: string): Readonly<Record<string, unknown>> {
  const { id, record, error: message, ...rest } = data as Readonly<Record<string, unknown>>
  const shown = typeof record === 'object' && record !== null ? { ...record, [idField]: id } : undefined
  return { ...rest, id, message, record: shown, type: event.toUpperCase() }
}

/** A server that stops is no end of the subscription: the client connects again. */
const isOver = ({ event, data }: StreamBlock) => event === 'end' && (data as EndData).code !== 'unavailable'

function refusalOf({ data }: StreamBlock): GraphQLFormattedError {
  const { error: message, code } = data as EndData
  return { message, extensions: { code: errorCodes[code].graphql } }
}

export type SubscriptionDeps = {
  readonly schema: GraphQLSchema
  /** Called with an error of a field. */
  readonly tell: (error: Readonly<Error>) => void
}

function resultText({ tell }: SubscriptionDeps, args: ValidatedSubscriptionArgs): string {
  const { data, errors } = executeSubscriptionEvent(args) as ExecutionResult
  for (const error of errors ?? []) tell(error)
  return JSON.stringify({ ...(errors && { errors: errors.map(representError) }), data })
}

/**
 * Expects a valid document. Returns the errors of its variables. Throws `bad-request` for what
 * cannot be followed.
 */
export function prepareSubscription(
  deps: SubscriptionDeps,
  sent: SentSubscription,
): AskedSubscription | readonly GraphQLError[] {
  const { document, operationName, variables } = sent
  const args = validateSubscriptionArgs({
    ...{ schema: deps.schema, document, operationName },
    variableValues: variables,
  })
  if (!('operation' in args)) return args
  const fragments = args.fragmentDefinitions
  const root = rootOf(args, fragments)
  const { resource } = root
  checkShown(root, fragments)
  const given = getArgumentValues(root.field, root.nodes[0] as FieldNode, args.variableValues)
  const after = given[afterName(resource)]
  return {
    resource,
    parameters: parametersOf(resource, given),
    tree: given.filter ?? undefined,
    after: typeof after === 'string' ? after : undefined,
    form: {
      key: keyOf(sent),
      print(block) {
        if (isOver(block)) return printRefusal([refusalOf(block)])
        return printNext(resultText(deps, { ...args, rootValue: eventOf(block, resource.idField) }), block.id)
      },
    },
  }
}
