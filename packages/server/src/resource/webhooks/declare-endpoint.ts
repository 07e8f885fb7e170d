/**
 * Endpoints of webhooks that an application declares itself. The server keeps a record for each,
 * equal to its declaration.
 */
import {
  checkMembers,
  flag,
  functionKind,
  listOfKind,
  type MemberKind,
  type Members,
  oneOf,
  tableOf,
  textKind,
} from '../members.ts'
import type { CodeSettings } from '../parts/part-handles.ts'
import { webhookEvents } from './webhook-words.ts'

/** A value of the environment: `({ settings }) => settings.of(shopSettings).warehouseSecret`. */
export type WebhookSetting = (needs: { readonly settings: CodeSettings }) => string | null

export type WebhookEndpointDeclaration = {
  /** Where deliveries are sent, or the setting that says it. Without a value it is switched off. */
  readonly url: string | WebhookSetting
  /** The setting with the secret that signs deliveries: `whsec_` and 16 to 64 bytes in base64. */
  readonly secret: WebhookSetting
  /** The resources whose changes it gets, by their paths: `['notes']`. */
  readonly resources: readonly string[]
  /** Of these events alone. */
  readonly events?: readonly (typeof webhookEvents)[number][]
  /** Resource → a query of its list: `{ notes: 'isOpen=true' }`. */
  readonly filters?: Readonly<Record<string, string>>
  /** Resource → the fields that it gets, besides the id. Changes of others are not told. */
  readonly recordFields?: Readonly<Record<string, readonly string[]>>
  /** `full` by default; `thin` for the id of the record alone. */
  readonly body?: 'full' | 'thin'
  /** Deliveries about one record wait for those before them. */
  readonly inOrder?: boolean
  /** Its purpose, of at most 200 characters. */
  readonly description?: string
}

const settingKind: MemberKind = functionKind
const addressKind: MemberKind = (value, path, report) =>
  typeof value === 'function' ? undefined : textKind(value, path, report)

const endpointMembers = {
  url: addressKind,
  secret: settingKind,
  resources: listOfKind(textKind),
  events: listOfKind(oneOf(webhookEvents)),
  filters: tableOf(textKind),
  recordFields: tableOf(listOfKind(textKind)),
  body: oneOf(['full', 'thin']),
  inOrder: flag,
  description: textKind,
} satisfies Members<WebhookEndpointDeclaration>

const endpointKind: MemberKind = (value, path, report) =>
  checkMembers(value, endpointMembers, { path, report, needed: ['url', 'secret', 'resources'] })

/** Name → endpoint. */
export const endpointsKind: MemberKind = tableOf(endpointKind)
