/**
 * Endpoints of webhooks that an application declares itself. The server keeps a record for each,
 * equal to its declaration.
 */
import type { ReportProblem } from '../checks/declaration-check.ts'
import { type DeclaredResource, engineTraits } from '../define.ts'
import {
  checkMembers,
  flag,
  functionKind,
  listOfKind,
  type MemberKind,
  type Members,
  oneOf,
  printValue,
  tableOf,
  textKind,
} from '../members.ts'
import type { CodeSettings } from '../parts/part-handles.ts'
import { kebabOf, pluralOf } from '../words/names.ts'
import { findMeant } from '../words/nearest.ts'
import { webhookEvents } from './webhook-words.ts'

/** A value of the environment: `({ settings }) => settings.of(shopSettings).warehouseSecret`. */
export type WebhookSetting = (needs: { readonly settings: CodeSettings }) => string | null

export type WebhookEndpointDeclaration = {
  /** Where deliveries are sent, or the setting that says it. Without a value it is switched off. */
  readonly url: string | WebhookSetting
  /** The setting with the secret that signs deliveries: `whsec_` and 16 to 64 bytes in base64. */
  readonly secret: WebhookSetting
  /** The resources whose changes it gets, by their paths: `['products']`. */
  readonly resources: readonly string[]
  /** Of these events alone. */
  readonly events?: readonly (typeof webhookEvents)[number][]
  /** Resource → a query of its list: `{ products: 'inStock=true' }`. */
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

const slugOf = ({ name, plural }: DeclaredResource) => kebabOf(plural ?? pluralOf(name))

const needs = 'say changes: true there, and give it a list'

function checkResource(
  one: DeclaredResource | undefined,
  { slug, known, report }: { slug: string; known: readonly string[]; report(problem: string): void },
): void {
  if (!one) report(`no resource "${slug}"${findMeant(slug, known)}`)
  else if (!one.changes || !(one.access.list ?? one.access.read)) report(`no changes of "${slug}" are told: ${needs}`)
}

function checkFieldNames(
  fields: Readonly<Record<string, readonly string[]>>,
  { at, bySlug, report }: { at: string; bySlug: ReadonlyMap<string, DeclaredResource>; report: ReportProblem },
): void {
  for (const [slug, names] of Object.entries(fields)) {
    const own = Object.keys(bySlug.get(slug)?.fields ?? {})
    for (const field of own.length > 0 ? names.filter((one) => !own.includes(one)) : [])
      report(`${at}.recordFields.${slug}`, `no field "${field}"${findMeant(field, own)}`)
  }
}

/** The mistakes in what declared endpoints name. `byName`: all resources. */
export function checkDeclaredEndpoints({
  declared,
  byName,
  report,
}: {
  readonly declared: DeclaredResource
  readonly byName: ReadonlyMap<string, DeclaredResource>
  readonly report: ReportProblem
}): void {
  const trait = declared[engineTraits]?.webhooks
  if (trait?.part !== 'endpoints') return
  const bySlug = new Map([...byName.values()].map((one) => [slugOf(one), one]))
  const known = [...bySlug.keys()]
  for (const [name, { resources, filters = {}, recordFields = {} }] of Object.entries(trait.declared)) {
    const at = `endpoints.${name}`
    if (resources.length === 0) report(`${at}.resources`, 'names at least one resource')
    for (const slug of resources)
      checkResource(bySlug.get(slug), { slug, known, report: (problem) => report(`${at}.resources`, problem) })
    for (const member of ['filters', 'recordFields'] as const)
      for (const slug of Object.keys({ filters, recordFields }[member]).filter((one) => !resources.includes(one)))
        report(`${at}.${member}`, `${printValue(slug)} is none of its resources${findMeant(slug, resources)}`)
    checkFieldNames(recordFields, { at, bySlug, report })
  }
}
