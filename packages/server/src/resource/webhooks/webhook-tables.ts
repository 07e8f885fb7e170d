/**
 * The engine's tables of webhooks: the endpoints that people register, the deliveries to each,
 * their attempts, and how far each endpoint has read the changes. `webhooks` declares them.
 */
import { type DeclaredResource, defineResource, engineTraits } from '../define.ts'
import { boolean } from '../fields/boolean.ts'
import { choice } from '../fields/choice.ts'
import type { Field } from '../fields/field.ts'
import { id } from '../fields/id.ts'
import { textList } from '../fields/list.ts'
import { json } from '../fields/nested/json-document.ts'
import { integer } from '../fields/numbers/integer.ts'
import { reference } from '../fields/reference.ts'
import { sealed, signingSecret } from '../fields/secret.ts'
import { text } from '../fields/text.ts'
import { url } from '../fields/texts/url.ts'
import { timestamp } from '../fields/times/timestamp.ts'
import type { Rule } from '../rule.ts'
import { allOf } from '../rules/all-of.ts'
import { anyOf } from '../rules/any-of.ts'
import { operator } from '../rules/operator.ts'
import { owner } from '../rules/owner.ts'
import { where } from '../rules/where/where.ts'
import { noTraits, type ResourceTraits, type WebhookTimes, type WebhookTrait } from '../traits.ts'
import type { WebhookEndpointDeclaration } from './declare-endpoint.ts'
import { pingEndpoint, replayDelivery, replayEndpoint, rotateSecret } from './webhook-actions.ts'
import { deliveryStates, webhookEvents, webhookNames } from './webhook-words.ts'

/** How long deliveries and attempts are kept. */
const keptDays = 30
/** How much of an answer is kept. */
export const answerLengthMax = 4_096

/** `tenant`: the resource of tenants. `manage`: the callers who reach all endpoints. */
export type WebhookTableParts<U extends string, T extends string> = {
  readonly users: U
  readonly tenant: T | undefined
  readonly create: Rule
  readonly manage: Rule
  readonly times: WebhookTimes
  readonly declared: Readonly<Record<string, WebhookEndpointDeclaration>>
}

function endpointFields<const U extends string>(users: U) {
  return {
    id: id(),
    /** Null for one that the application declares. */
    userId: {
      ...reference(users, {
        setBy: 'principal',
        onDelete: 'delete',
        description: 'The owner. Deliveries hold what this user may see when they are sent.',
      }),
      nullable: true,
    },
    url: url({ required: true, description: 'Where deliveries are sent.', example: 'https://example.com/hooks' }),
    description: text({ maxLength: 200, description: 'Its purpose.', example: 'Orders to the warehouse' }),
    resources: textList({
      required: true,
      maxLength: 100,
      description: 'The resources whose changes it gets, as `GET /_resources` names them.',
      example: ['notes'],
    }),
    events: textList({
      maxLength: 20,
      default: null,
      description: `Of these events alone: ${webhookEvents.join(', ')}; null for all.`,
      example: ['enter', 'change'],
    }),
    filters: json<Readonly<Record<string, string>> | null>({
      bytesMax: 4_000,
      default: null,
      description: 'Resource → a query of its list: its changes are seen under that filter.',
      example: { notes: 'isOpen=true' },
    }),
    recordFields: json<Readonly<Record<string, readonly string[]>> | null>({
      bytesMax: 4_000,
      default: null,
      description: 'Resource → the fields that it gets, besides the id. Changes of others alone are not told.',
      example: { notes: ['title'] },
    }),
    body: choice(['full', 'thin'], {
      default: 'full',
      description: 'Whether a delivery has the values of its record, or its id alone.',
    }),
    inOrder: boolean({
      default: false,
      description: 'Whether deliveries about one record wait for those before them.',
    }),
    active: boolean({ default: true, description: 'Whether it is sent anything.' }),
    declaredAs: text({
      readOnly: true,
      unique: true,
      maxLength: 100,
      description: 'Its name in the declaration of the application; null for one of a user.',
    }),
    secret: signingSecret('whsec_', 'The secret that signs deliveries.'),
    previousSecret: { ...sealed(), nullable: true },
    /** The place in the change log where it begins. */
    begin: text({ hidden: true, readOnly: true, maxLength: 100 }),
    previousUntil: timestamp({
      readOnly: true,
      description: 'Until when the secret before signs too, after a rotation.',
    }),
    failingSince: timestamp({ readOnly: true, description: 'Since when no delivery has arrived; null where one has.' }),
    disabledAt: timestamp({ readOnly: true, description: 'When the server switched it off.' }),
    disabledReason: text({ readOnly: true, maxLength: 300, description: 'Why the server switched it off.' }),
    createdAt: timestamp({ setOn: 'create' }),
    updatedAt: timestamp({ setOn: 'write' }),
  }
}

type EndpointFields<U extends string, T extends string> = ReturnType<typeof endpointFields<U>> & {
  readonly [K in T as `${K}Id`]: ReturnType<typeof reference<K>>
}
export type WebhookEndpoints<U extends string, T extends string, L extends string> = DeclaredResource<
  EndpointFields<U, T>,
  'webhookEndpoint',
  never,
  L
>

const keptFor = (field: string) => ({ keptFor: { field, days: keptDays } })

/** Endpoints that the application declares, and what belongs to them, have no tenant. */
const withTrait = (
  declared: unknown,
  webhooks: WebhookTrait,
  more: Partial<ResourceTraits> = {},
): DeclaredResource => ({
  ...(declared as DeclaredResource),
  [engineTraits]: { ...noTraits, webhooks, ...more },
})

/**
 * Of deliveries and attempts: they stay where their endpoint is gone, until their time is over, and
 * go with their tenant.
 */
function belonging({ users, tenant }: { readonly users: string; readonly tenant: string | undefined }) {
  const fields: Record<string, Field> = {
    endpointId: reference(webhookNames.endpoint, { setBy: 'engine', onDelete: 'keep' }),
    userId: reference(users, { setBy: 'engine', onDelete: 'keep', description: 'The owner of the endpoint.' }),
  }
  if (tenant !== undefined) fields[`${tenant}Id`] = reference(tenant, { setBy: 'engine', onDelete: 'delete' })
  return fields
}

function deliveryTable(parts: WebhookTableParts<string, string>, owned: Rule): DeclaredResource {
  const declared = defineResource({
    name: webhookNames.delivery,
    description: 'An event for one endpoint. It is tried until the endpoint takes it.',
    path: '/webhook-deliveries',
    fields: {
      id: id(),
      ...belonging(parts),
      event: text({
        readOnly: true,
        maxLength: 100,
        description: 'The type of its event.',
        example: 'notes.change',
      }),
      resource: text({ readOnly: true, maxLength: 100, description: 'The resource of its record.' }),
      recordId: text({ readOnly: true, maxLength: 100, description: 'The id of its record.' }),
      state: choice(deliveryStates, {
        default: 'waiting',
        readOnly: true,
        description: 'Whether it waits for a try, has arrived, or is given up.',
      }),
      tries: integer({ default: 0, readOnly: true, description: 'How often it was tried.' }),
      status: integer({ readOnly: true, description: 'The status of the last answer.' }),
      nextAt: timestamp({ readOnly: true, description: 'Where it waits: when it is tried next.' }),
      endedAt: timestamp({ readOnly: true, description: 'When it arrived, or was given up.' }),
      /** The endpoint while it waits, so that those that wait are found among all. */
      waitingId: reference(webhookNames.endpoint, {
        setBy: 'engine',
        onDelete: 'keep',
        description: 'The endpoint, while it waits for a try.',
      }),
      /** The order of the deliveries of an endpoint. */
      number: integer({ hidden: true, readOnly: true, default: 0 }),
      /** The place in the change log before its change, and that of the change. */
      before: text({ hidden: true, readOnly: true, maxLength: 100 }),
      place: text({ hidden: true, readOnly: true, maxLength: 100 }),
      at: timestamp({ readOnly: true, description: 'When the change was made.' }),
      createdAt: timestamp({ setOn: 'create' }),
    },
    list: { style: 'cursor', filterable: ['endpointId', 'state', 'event', 'recordId', 'waitingId', 'createdAt'] },
    access: { list: owned, get: owned, replay: owned },
    actions: { replay: replayDelivery },
    display: { title: 'event', menu: false },
    ...(parts.tenant !== undefined && { tenant: `${parts.tenant}Id` }),
  } as never)
  return withTrait(declared, { part: 'deliveries' }, { ...keptFor('createdAt'), aboveTenants: 'endpointId' })
}

function attemptTable(parts: WebhookTableParts<string, string>, owned: Rule): DeclaredResource {
  const declared = defineResource({
    name: webhookNames.attempt,
    description: 'A try of a delivery, with the answer of the endpoint.',
    path: '/webhook-attempts',
    fields: {
      id: id(),
      ...belonging(parts),
      deliveryId: reference(webhookNames.delivery, { setBy: 'engine', onDelete: 'keep' }),
      status: integer({ readOnly: true, description: 'The status of the answer; null without one.' }),
      tookMs: integer({ readOnly: true, description: 'Milliseconds until it was over.' }),
      error: text({ readOnly: true, maxLength: 300, description: 'Why it failed, where no answer came.' }),
      answer: text({ readOnly: true, maxLength: answerLengthMax, description: 'The beginning of the answer.' }),
      at: timestamp({ readOnly: true, description: 'When it began.' }),
    },
    list: { style: 'cursor', filterable: ['endpointId', 'deliveryId', 'at'] },
    access: { list: owned, get: owned },
    display: { title: 'at', menu: false },
    ...(parts.tenant !== undefined && { tenant: `${parts.tenant}Id` }),
  } as never)
  return withTrait(declared, { part: 'attempts' }, { ...keptFor('at'), aboveTenants: 'endpointId' })
}

function readerTable(): DeclaredResource {
  const declared = defineResource({
    name: webhookNames.reader,
    description: 'How far an endpoint has read the changes.',
    fields: {
      id: id(),
      endpointId: reference(webhookNames.endpoint, {
        setBy: 'engine',
        onDelete: 'delete',
        required: true,
        unique: true,
      }),
      place: text({ readOnly: true, maxLength: 100, required: true, default: '' }),
      /** How many deliveries it has had. */
      count: integer({ readOnly: true, default: 0 }),
      /** Nothing is sent before this time: the endpoint asked for it. */
      pausedUntil: timestamp({ readOnly: true }),
    },
    access: {},
  } as never)
  return withTrait(declared, { part: 'readers' })
}

/** The tables, with the place where the application declares them. */
export function webhookTables(parts: WebhookTableParts<string, string>): readonly DeclaredResource[] {
  const { users, tenant, create, manage, times, declared } = parts
  // Those that the application declares have no owner.
  const ofApplication = allOf([operator, where({ userId: null })]) as Rule
  const owned = anyOf(
    manage === operator ? [owner('userId'), manage] : [owner('userId'), manage, ofApplication],
  ) as Rule
  const endpoints = defineResource({
    name: webhookNames.endpoint,
    description: 'An address that is told of changes, as far as its owner may see them.',
    path: '/webhook-endpoints',
    fields: {
      ...endpointFields(users),
      ...(tenant !== undefined && { [`${tenant}Id`]: reference(tenant, { required: true, onDelete: 'delete' }) }),
    },
    list: {
      style: 'page',
      sortable: ['createdAt', 'url'],
      defaultSort: '-createdAt',
      filterable: ['active', 'userId'],
    },
    access: {
      list: owned,
      get: owned,
      create,
      update: owned,
      delete: owned,
      rotate: owned,
      ping: owned,
      replay: owned,
    },
    actions: { rotate: rotateSecret, ping: pingEndpoint, replay: replayEndpoint },
    display: { title: 'url', columns: ['url', 'resources', 'active', 'failingSince', 'userId'], menu: false },
    ...(tenant !== undefined && { tenant: `${tenant}Id` }),
  } as never)
  return [
    withTrait(endpoints, { part: 'endpoints', said: times, declared }, { aboveTenants: 'declaredAs' }),
    deliveryTable(parts, owned),
    attemptTable(parts, owned),
    readerTable(),
  ]
}
