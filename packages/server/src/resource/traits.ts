/**
 * Traits: facts that a feature attaches to its resources and actions. The core, the protocols and
 * the documents read traits, and so know no feature by name.
 */
import type { Json } from './fields/field.ts'
import type { BodyKind } from './operation-kind.ts'
import type { WebhookEndpointDeclaration } from './webhooks/declare-endpoint.ts'

/** The Host header and the protocol of a request. */
export type RequestOrigin = { readonly host: string; readonly protocol: string }

/**
 * A member of a body that a user sends beside a change of their own credentials. It is no field and
 * is never stored.
 */
export type ProofMember = {
  readonly name: string
  /** One of these must be sent beside it. */
  readonly of: readonly string[]
  readonly description: string
  readonly lengthMax: number
  /** As JSON Schema has it. */
  readonly format: string
}

/**
 * The body of a removal, which proves the caller's identity. Such a removal comes alone, never in a
 * bulk delete. A dry run does it and undoes it, since its outcome depends on the records that are
 * left.
 */
export type ProvenRemoval = {
  /** The component of OpenAPI that describes it. */
  readonly schema: string
  readonly example: Json
  /** Throws `bad-request`. */
  read(body: Readonly<Record<string, unknown>>, place: RequestOrigin): unknown
}

/**
 * `of`: the resource that it is made for. A trash is not shown beside that: it has the names of it.
 * `days`: how long a record stays there; absent where records are there only with others.
 */
export type MadeFor =
  | { readonly kind: 'history' | 'links'; readonly of: string }
  | { readonly kind: 'files'; readonly of?: never }
  | { readonly kind: 'trash'; readonly of: string; readonly plural: string; readonly days?: number }

export type ResourceTraits = {
  /** Its records are the callers: the fields of the name that is theirs alone, and of the role. */
  readonly people?: { readonly name: string; readonly role: string }
  /** Fields by which people get in: keys write them only by the scope of credentials. */
  readonly credentials: readonly string[]
  readonly proof?: ProofMember
  /** Its records prove who their owner is: keys write them only by the scope of credentials. */
  readonly isCredential?: true
  /**
   * Its records let their owner in by themselves: keys write them only by scopes that name them.
   */
  readonly letsIn?: true
  readonly removal?: ProvenRemoval
  /** Its records are views of lists, which the console reads and writes. */
  readonly holds?: 'views'
  /** A table of webhooks. */
  readonly webhooks?: WebhookTrait
  /** A field: records that have a value in it may belong to no tenant. */
  readonly aboveTenants?: string
  /** The engine makes it for another resource. */
  readonly made?: MadeFor
  /** Its records go when the time in this field is so many days ago. */
  readonly keptFor?: { readonly field: string; readonly days: number }
}

/** `said`: what the declaration says of deliveries; of the endpoints alone, as are `declared`. */
export type WebhookTrait =
  | {
      readonly part: 'endpoints'
      readonly said: WebhookTimes
      readonly declared: Readonly<Record<string, WebhookEndpointDeclaration>>
    }
  | { readonly part: 'deliveries' | 'attempts' | 'readers' }

/** `waits`: seconds before each further try. */
export type WebhookTimes = {
  readonly waits: readonly number[]
  readonly timeoutSeconds: number
  readonly offAfterDays: number
}

export type ActionTraits = {
  /** Its answer shows a secret, and no other does. */
  readonly reveals?: true
  /** It works on a credential. */
  readonly isOfCredentials?: true
  /** Its tries are counted, also those that are undone. */
  readonly isCounted?: true
  /** It is an update of the caller, whose record refers to what the caller may name. */
  readonly isUpdate?: true
}

export const noTraits: ResourceTraits = { credentials: [] }

type WithTraits = { readonly traits: ResourceTraits }

/**
 * The member of bodies of this kind that proves the caller's identity. Only a change of existing
 * credentials needs it.
 */
export function proofOf({ traits: { proof } }: WithTraits, kind: BodyKind): ProofMember | undefined {
  return kind === 'create' ? undefined : proof
}

type WithActionTraits = { readonly actionTraits: Readonly<Record<string, ActionTraits | undefined>> }

export function traitsOfAction({ actionTraits }: WithActionTraits, operation: string): ActionTraits {
  return actionTraits[operation] ?? {}
}
