/**
 * GraphQL for clients that accept server-sent events, by graphql-sse's distinct connections mode.
 * Subscriptions follow a list; the response to a query or mutation is one event.
 */
import {
  type DocumentNode,
  GraphQLError,
  getOperationAST,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql'
import { toApiError } from '../../errors.ts'
import type { HttpResponse } from '../../http/messages/exchange.ts'
import { endStage } from '../../observe/request-measurements.ts'
import type { DocumentCache } from '../documents/document.ts'
import { checkLimits } from '../documents/limit.ts'
import { representError } from '../graphql-error.ts'
import type { GraphqlRequest } from '../graphql-request.ts'
import { prepareSubscription, type SubscriptionDeps } from './prepare-subscription.ts'
import { answerEvents, asEvents, printRefusal } from './print-result.ts'
import type { BegunSubscription } from './subscription-source.ts'

type EventsDeps = SubscriptionDeps & {
  readonly documents: DocumentCache
  /** Answers a query or mutation, and refuses what cannot be read. */
  answerOnce(): Promise<HttpResponse>
}

type FoundSubscription = {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly operationName: string | null | undefined
  readonly variables: Readonly<Record<string, unknown>>
  readonly text: string
}

/** Undefined for other operations, and for requests that cannot be read. */
async function findSubscription(
  { documents }: EventsDeps,
  { params }: GraphqlRequest,
): Promise<FoundSubscription | undefined> {
  try {
    const { query: text, operationName, variables } = (await params()).params
    const known = documents.read(text)
    if (!('document' in known)) return undefined
    const { document } = known
    const operation = getOperationAST(document, operationName)
    if (operation?.operation !== OperationTypeNode.SUBSCRIPTION) return undefined
    return { document, operation, operationName, variables: variables ?? {}, text }
  } catch {
    return undefined
  }
}

/** A client waits for the time that these name before it comes again, so they keep their status. */
const byStatus: ReadonlySet<string> = new Set(['too-many-requests', 'unavailable'])

async function subscribe(deps: EventsDeps, begun: BegunSubscription, found: FoundSubscription): Promise<HttpResponse> {
  const { document, operation, operationName, variables, text } = found
  const refuse = (errors: readonly GraphQLError[]) => {
    for (const error of errors) deps.tell(error)
    return answerEvents(printRefusal(errors.map(representError)))
  }
  try {
    checkLimits(deps.schema, { document, operation, variables })
    const asked = prepareSubscription(deps, { document, operationName, variables, text })
    return 'form' in asked ? await begun.open(asked) : refuse(asked)
  } catch (thrown) {
    if (thrown instanceof GraphQLError) return refuse([thrown])
    const error = toApiError(thrown)
    if (byStatus.has(error.code)) throw error
    return refuse([new GraphQLError(error.message, { originalError: error })])
  }
}

export async function answerSubscription(
  deps: EventsDeps,
  begun: BegunSubscription,
  asking: GraphqlRequest,
): Promise<HttpResponse> {
  const found = await findSubscription(deps, asking)
  if (!found) return asEvents(await deps.answerOnce())
  endStage(asking.request.note, 'parse')
  return subscribe(deps, begun, found)
}
