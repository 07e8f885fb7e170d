/**
 * The public entry of the package: everything that an application imports to declare its resources
 * and to run. Its tests import `bindery-server/test`.
 */
export { type AccountsDeclaration, accounts } from './accounts/declare-accounts.ts'
export type { TableExtension } from './accounts/extend-table.ts'
export type { ChangeRule, ForbidRules } from './resource/access/change-rule.ts'
export type {
  AccountEffect,
  AccountEffectContext,
  AccountHooks,
  LogInContext,
  LogInWay,
  PasswordWay,
  SignUpContext,
  SignUpWay,
} from './resource/accounts/account-code.ts'
export { verifyAddress } from './resource/accounts/credential-actions.ts'
export type { AccountEvent } from './resource/accounts/kept-account-code.ts'
export {
  type Action,
  type ActionContext,
  defineAction,
} from './resource/action.ts'
export type { ActingCaller, KnownCaller } from './resource/code/acting-caller.ts'
export type {
  CallerRecords,
  CodeLog,
  OutsideCode,
  RecordsForCaller,
  SystemRecords,
  TransactionCode,
  UnboundedRecords,
} from './resource/code/code-context.ts'
export type { RecordFilter, RecordGroup, RecordPage, RecordSort } from './resource/code/code-reads.ts'
export type { JudgedRecords, Records } from './resource/code/code-records.ts'
export type { CreateContext, DeleteContext, Hooks, UpdateContext } from './resource/code/hooks.ts'
export type { RecordCheck } from './resource/code/record-check.ts'
export { type Declaration, type DeclaredResource, defineResource } from './resource/define.ts'
export type { Display, FieldGroup, Texts, Widget } from './resource/display/declared-display.ts'
export {
  type Accent,
  type ConsoleDeclaration,
  type DeclaredConsole,
  type DeclaredModule,
  defineConsole,
  type ModuleName,
} from './resource/display/define-console.ts'
export {
  changed,
  type DeclaredEffect,
  type EffectCause,
  type EffectRecord,
  type FieldChange,
} from './resource/effects/declared-effect.ts'
export { after, before, type EffectMoment, type TimeSpan } from './resource/effects/effect-moment.ts'
export { defineEndpoint } from './resource/endpoints/define-endpoint.ts'
export type {
  DeclaredEndpoint,
  EndpointCode,
  EndpointDeclaration,
  EndpointError,
  EndpointLimits,
  EndpointRequest,
  RawBody,
} from './resource/endpoints/endpoint-declaration.ts'
export {
  type BytesOutput,
  bytes,
  type EndpointOutput,
  type LinesOutput,
  lines,
} from './resource/endpoints/endpoint-output.ts'
export { boolean } from './resource/fields/boolean.ts'
export { choice, state } from './resource/fields/choice.ts'
export { computed } from './resource/fields/computed/computed.ts'
export { count, latest, sum } from './resource/fields/counted.ts'
export type {
  CommonOptions,
  DefaultContext,
  DerivedContext,
  Field,
  Fields,
  Json,
  ValueOf,
} from './resource/fields/field.ts'
export { file } from './resource/fields/files/file.ts'
export { files } from './resource/fields/files/file-list.ts'
export type { FileListOptions, FileOptions, ImageOptions } from './resource/fields/files/file-options.ts'
export type { FileScan, ScanContext } from './resource/fields/files/file-scan.ts'
export { image } from './resource/fields/files/image.ts'
export type { ImageVariant, ImageVariants } from './resource/fields/files/image-variant.ts'
export type { ScanState, ScanVerdict } from './resource/fields/files/scan-state.ts'
export type { GivenFile, GivenFiles, StoredFile } from './resource/fields/files/stored-file.ts'
export { id, integerId } from './resource/fields/id.ts'
export { list, textList } from './resource/fields/list.ts'
export { manyToMany } from './resource/fields/many-to-many.ts'
export { json } from './resource/fields/nested/json-document.ts'
export { object, objectList } from './resource/fields/nested/object.ts'
export { autoNumber, printNumber } from './resource/fields/numbers/auto-number.ts'
export { bigint } from './resource/fields/numbers/bigint.ts'
export { decimal } from './resource/fields/numbers/decimal.ts'
export { float } from './resource/fields/numbers/float.ts'
export { integer } from './resource/fields/numbers/integer.ts'
export { money } from './resource/fields/numbers/money.ts'
export { manualOrder } from './resource/fields/places/manual-order.ts'
export { reference } from './resource/fields/reference.ts'
export { oneToOne } from './resource/fields/relations/one-to-one.ts'
export { roleField } from './resource/fields/role-field.ts'
export { password, token } from './resource/fields/secret.ts'
export { text } from './resource/fields/text.ts'
export { slug, slugOf } from './resource/fields/texts/slug.ts'
export { url } from './resource/fields/texts/url.ts'
export { uuid } from './resource/fields/texts/uuid.ts'
export { date } from './resource/fields/times/date.ts'
export { dayIn } from './resource/fields/times/day-in.ts'
export { time } from './resource/fields/times/time.ts'
export { timestamp } from './resource/fields/times/timestamp.ts'
export { derived, embedded, lookup } from './resource/fields/virtual.ts'
export type { DerivedInput } from './resource/fields/virtual-kinds.ts'
export { type DeclaredJob, defineJob, type JobDeclaration } from './resource/jobs/define-job.ts'
export type { AddedJob, AddOptions, JobCode, JobProgress, JobQueue, Jobs } from './resource/jobs/job-context.ts'
export { atLeast, atMost, equals, includes, isTrue, type NamedFilter } from './resource/list-declaration.ts'
export { type DeclaredMail, defineMail, type MailDeclaration } from './resource/parts/define-mail.ts'
export {
  type DeclaredSeed,
  defineSeed,
  type PutRecord,
  type SeedCode,
  type SeedDeclaration,
} from './resource/parts/define-seed.ts'
export {
  type DeclaredService,
  defineService,
  type ServiceDeclaration,
} from './resource/parts/define-service.ts'
export {
  type DeclaredSettings,
  defineSettings,
  type SettingsDeclaration,
  type SettingsOf,
} from './resource/parts/define-settings.ts'
export type { CodeSettings, SendMail, SentMail, ServiceNeeds, Services } from './resource/parts/part-handles.ts'
export type { RecordOf } from './resource/record-of.ts'
export { defineResources } from './resource/resource-list.ts'
export type { Rule, ServiceSettings } from './resource/rule.ts'
export { ability } from './resource/rules/ability.ts'
export { allOf } from './resource/rules/all-of.ts'
export { anyOf } from './resource/rules/any-of.ts'
export { user } from './resource/rules/any-user.ts'
export { anyone } from './resource/rules/anyone.ts'
export { apiKey } from './resource/rules/api-key.ts'
export { can } from './resource/rules/can.ts'
export { not } from './resource/rules/not.ts'
export { onlyWhen } from './resource/rules/only-when.ts'
export { operator } from './resource/rules/operator.ts'
export { owner } from './resource/rules/owner.ts'
export { every, none, some } from './resource/rules/quantified.ts'
export { role } from './resource/rules/role.ts'
export { through } from './resource/rules/through.ts'
export { caller, field, now, previous } from './resource/rules/where/rule-values.ts'
export { type FieldConditions, type WhereCondition, where } from './resource/rules/where/where.ts'
export {
  type DeclaredSchedule,
  defineSchedule,
  type ScheduleCode,
  type ScheduleDeclaration,
} from './resource/schedules/define-schedule.ts'
export {
  type Declared,
  type DeclaredTenancy,
  defineTenancy,
  type TenancyDeclaration,
} from './resource/tenancy/define-tenancy.ts'
export { member } from './resource/tenancy/member.ts'
export type { MembersDeclaration, TenantOption } from './resource/tenancy/tenant-words.ts'
export { type SharedViewsDeclaration, sharedViews } from './resource/views/shared-views.ts'
export type { WebhookEndpointDeclaration, WebhookSetting } from './resource/webhooks/declare-endpoint.ts'
export { type WebhooksDeclaration, webhooks } from './resource/webhooks/define-webhooks.ts'
export { either, lookedUp, machine } from './resource/words/renamed.ts'
export { type RunningService, type RunOptions, runCommandLine, runService } from './service/run.ts'
