/** The sections of docs/reference/declarations.md: which names and types each of them has. */
import { ruleNames } from '../packages/server/src/resource/words/entry-names.ts'

/** An object type: its file, its name, and what readers call it. */
export type TypeOf = readonly [file: string, type: string, head: string]
export type Section = {
  readonly title: string
  readonly types?: readonly TypeOf[]
  readonly functions?: readonly string[]
}

const field = 'resource/fields/field.ts'
const define = 'resource/define.ts'
const endpoint = 'resource/endpoints/endpoint-declaration.ts'
const code = 'resource/code/code-context.ts'
const mark = 'resource/accounts/identity-mark.ts'

export const sections: readonly Section[] = [
  {
    title: 'A resource',
    functions: ['defineResource', 'defineResources'],
    types: [[define, 'Declaration', 'Its members']],
  },
  {
    title: 'Lists',
    types: [['resource/list-declaration.ts', 'ListDeclaration', 'Members of `list`']],
    functions: ['equals', 'isTrue', 'atLeast', 'atMost', 'includes'],
  },
  {
    title: 'The console',
    functions: ['defineConsole', 'sharedViews'],
    types: [
      ['resource/display/define-console.ts', 'ConsoleDeclaration', 'Members of the console'],
      ['resource/views/shared-views.ts', 'SharedViewsDeclaration', 'Members of `sharedViews`'],
      ['resource/display/declared-display.ts', 'Display', 'Members of `display`'],
      ['resource/display/declared-display.ts', 'FieldGroup', 'Members of an entry of `groups`, where it is no list'],
    ],
  },
  {
    title: 'Parts of an application',
    functions: ['defineSettings', 'defineService', 'defineMail', 'defineSeed'],
    types: [
      ['resource/parts/define-settings.ts', 'SettingsDeclaration', 'Members of the settings'],
      ['resource/parts/define-service.ts', 'ServiceDeclaration', 'Members of a service'],
      ['resource/parts/define-mail.ts', 'MailDeclaration', 'Members of a mail'],
      ['resource/parts/define-seed.ts', 'SeedDeclaration', 'Members of a seed'],
    ],
  },
  {
    title: 'Webhooks',
    functions: ['webhooks'],
    types: [
      ['resource/webhooks/define-webhooks.ts', 'WebhooksDeclaration', 'Members of `webhooks`'],
      ['resource/webhooks/declare-endpoint.ts', 'WebhookEndpointDeclaration', 'Members of an entry of `endpoints`'],
    ],
  },
  {
    title: 'Jobs',
    functions: ['defineJob'],
    types: [
      ['resource/jobs/define-job.ts', 'JobDeclaration', 'Members of a job'],
      ['resource/jobs/job-context.ts', 'AddOptions', 'Options of `add`'],
    ],
  },
  {
    title: 'Schedules',
    functions: ['defineSchedule'],
    types: [
      ['resource/schedules/define-schedule.ts', 'ScheduleDeclaration', 'Members of a schedule'],
      [
        'resource/schedules/define-schedule.ts',
        'ScheduleCode',
        'The argument of `run`, besides those of all such code',
      ],
    ],
  },
  {
    title: 'Endpoints',
    functions: ['defineEndpoint', 'lines', 'bytes'],
    types: [
      [endpoint, 'EndpointDeclaration', 'Members of an endpoint'],
      [endpoint, 'EndpointLimits', 'Members of `limits`'],
      [endpoint, 'EndpointArguments', 'Arguments of `run`, besides those of [code](#code)'],
      [endpoint, 'RawBody', 'Arguments of `verify`'],
      [endpoint, 'EndpointRequest', 'Members of `request`'],
    ],
  },
  {
    title: 'Children',
    types: [['resource/relations/child-declaration.ts', 'ChildDeclaration', 'Members of an entry of `children`']],
  },
  { title: 'Messages', types: [['resource/words/declared-messages.ts', 'DeclaredMessages', 'Members of `messages`']] },
  {
    title: 'GraphQL entries',
    types: [
      ['resource/access/graphql-fields.ts', 'GraphqlDeclaration', 'Members of `graphql`'],
      ['resource/access/graphql-fields.ts', 'GraphqlField', 'Members of an entry'],
    ],
  },
  {
    title: 'Options of every field',
    types: [
      [field, 'CommonOptions', 'Each field takes them, unless it is set by the server alone'],
      [field, 'DefaultContext', 'Arguments of a default that is a function'],
      [field, 'EarlierForm', 'Earlier forms, for a change of the declaration'],
    ],
  },
  {
    title: 'References and links',
    functions: ['id', 'integerId', 'reference', 'oneToOne', 'manyToMany'],
    types: [
      ['resource/fields/reference.ts', 'Options', 'Options of `reference`'],
      ['resource/fields/many-to-many.ts', 'LinksOptions', 'Options of `manyToMany`'],
    ],
  },
  {
    title: 'Texts',
    functions: ['text', 'textList', 'list', 'uuid', 'url', 'slug', 'slugOf'],
    types: [
      ['resource/fields/text.ts', 'TextOptions', 'Options of `text`'],
      ['resource/fields/list.ts', 'TextListOptions', 'Options of `textList`'],
      ['resource/fields/list.ts', 'ListOptions', 'Options of `list`'],
      ['resource/fields/texts/uuid.ts', 'UuidOptions', 'Options of `uuid`'],
      ['resource/fields/texts/url.ts', 'UrlOptions', 'Options of `url`'],
      ['resource/fields/texts/slug.ts', 'SlugOptions', 'Options of `slug`'],
    ],
  },
  {
    title: 'Order',
    functions: ['manualOrder'],
    types: [['resource/fields/places/manual-order.ts', 'ManualOrderOptions', 'Options of `manualOrder`']],
  },
  {
    title: 'JSON',
    functions: ['json'],
    types: [['resource/fields/nested/json-document.ts', 'JsonOptions', 'Options of `json`']],
  },
  {
    title: 'Files',
    functions: ['file', 'image', 'files'],
    types: [
      ['resource/fields/files/file-options.ts', 'FileOptions', 'Options of `file`, `image` and `files`'],
      ['resource/fields/files/file-scan.ts', 'FileScan', 'Members of `scan`'],
      ['resource/fields/files/file-options.ts', 'ImageOptions', 'Further options of `image`'],
      ['resource/fields/files/image-variant.ts', 'ImageVariant', 'A variant of an image'],
      ['resource/fields/files/file-options.ts', 'FileListOptions', 'Further options of `files`'],
    ],
  },
  {
    title: 'Objects in input and output',
    functions: ['object', 'objectList'],
    types: [
      ['resource/fields/nested/object.ts', 'ObjectOptions', 'Options of `object`'],
      ['resource/fields/nested/object.ts', 'ObjectListOptions', 'Options of `objectList`'],
    ],
  },
  {
    title: 'Numbers',
    functions: ['integer', 'bigint', 'decimal', 'float', 'money', 'autoNumber', 'printNumber'],
    types: [
      [
        'resource/fields/numbers/increment.ts',
        'IncrementOption',
        'Option of `integer`, `bigint`, `decimal` and `money`',
      ],
      ['resource/fields/numbers/integer.ts', 'IntegerOptions', 'Options of `integer`'],
      ['resource/fields/numbers/bigint.ts', 'BigintOptions', 'Options of `bigint`'],
      ['resource/fields/numbers/decimal.ts', 'DecimalOptions', 'Options of `decimal`'],
      ['resource/fields/numbers/float.ts', 'FloatOptions', 'Options of `float`'],
      ['resource/fields/numbers/money.ts', 'MoneyOptions', 'Options of `money`'],
      ['resource/fields/numbers/auto-number.ts', 'AutoNumberOptions', 'Options of `autoNumber`'],
    ],
  },
  { title: 'True or false', functions: ['boolean'] },
  {
    title: 'Times',
    functions: ['date', 'time', 'timestamp', 'dayIn'],
    types: [
      ['resource/fields/times/date.ts', 'DateOptions', 'Options of `date`'],
      ['resource/fields/times/time.ts', 'TimeOptions', 'Options of `time`'],
      ['resource/fields/times/timestamp.ts', 'TimestampOptions', 'Options of `timestamp`'],
    ],
  },
  {
    title: 'Words and states',
    functions: ['choice', 'roleField', 'state'],
    types: [
      ['resource/fields/choice.ts', 'StateOptions', 'Options of `state`; a `choice` has none of its own'],
      ['resource/fields/transition.ts', 'Transition', 'Members of a transition'],
    ],
  },
  {
    title: 'Secrets',
    functions: ['password', 'token'],
    types: [['resource/fields/secret.ts', 'TokenOptions', 'Options of `token`']],
  },
  {
    title: 'Counted fields',
    functions: ['count', 'sum', 'latest'],
    types: [['resource/fields/counted.ts', 'CountedOptions', 'Options of `count`, `sum` and `latest`']],
  },
  {
    title: 'Computed fields',
    functions: ['computed'],
    types: [['resource/fields/computed/computed.ts', 'ComputedOptions', 'Options of `computed`']],
  },
  {
    title: 'Virtual fields',
    functions: ['embedded', 'lookup', 'derived'],
    types: [
      ['resource/fields/virtual.ts', 'EmbeddedOptions', 'Options of `embedded`'],
      ['resource/fields/virtual.ts', 'Source', 'Where `lookup` looks'],
      ['resource/fields/virtual.ts', 'DerivedOptions', 'Options of `derived`'],
    ],
  },
  {
    title: 'Rules',
    functions: [...ruleNames],
    types: [
      ['resource/rules/where/where.ts', 'FieldConditions', 'Conditions on a field, in `where`'],
      ['resource/rules/joined-rules.ts', 'JoinOptions', 'Options of `anyOf` and `allOf`'],
      ['resource/tenancy/member.ts', 'MemberOptions', 'Options of `member`'],
      ['resource/rule.ts', 'ServiceSettings', 'Settings that `onlyWhen` and others read'],
    ],
  },
  { title: 'Values in conditions', functions: ['caller', 'field', 'previous', 'now'] },
  {
    title: 'Actions',
    functions: ['defineAction'],
    types: [
      ['resource/action.ts', 'Action', 'Members of an action'],
      ['resource/action.ts', 'ActionArguments', 'Arguments of `run`'],
    ],
  },
  {
    title: 'Code',
    types: [
      [code, 'CommonCode', 'All code is given these'],
      [code, 'InsideCode', 'Code inside a transaction is given these besides'],
      [code, 'TransactionCode', 'Actions and the work of `transaction` are given this besides'],
      [code, 'OutsideCode', 'Code outside of transactions is given these besides'],
      [code, 'CodeLog', 'Methods of `log`'],
      ['resource/code/code-records.ts', 'RecordMethods', 'Methods of `records(resource)`'],
      ['resource/code/code-reads.ts', 'RecordReads', 'Methods of `records(resource)` that take a filter'],
    ],
  },
  {
    title: 'Effects',
    functions: ['changed', 'before', 'after'],
    types: [
      ['resource/effects/declared-effect.ts', 'DeclaredEffect', 'Members of an effect'],
      ['resource/effects/retries.ts', 'Retries', 'Members of `retries`'],
      ['resource/effects/declared-effect.ts', 'EffectContext', 'The members of the argument of `run` of an effect'],
    ],
  },
  {
    title: 'Accounts',
    functions: ['accounts'],
    types: [
      ['accounts/declare-accounts.ts', 'AccountsDeclaration', 'The members of the argument of `accounts`'],
      ['accounts/extend-table.ts', 'TableExtension', 'Changes to a table of the engine'],
      ['accounts/declare-accounts.ts', 'KeyOptions', 'Of keys besides'],
      ['resource/accounts/account-code.ts', 'AccountHooks', 'Members of `hooks` of `accounts`'],
      ['resource/accounts/account-code.ts', 'AccountHookContext', 'Each of these hooks is given'],
      ['resource/accounts/account-code.ts', 'SignUpContext', 'Before a sign-up besides'],
      ['resource/accounts/account-code.ts', 'LogInContext', 'Before a log-in besides'],
      ['resource/accounts/account-code.ts', 'AccountEffect', 'Members of an effect of `accounts`'],
    ],
  },
  {
    title: 'Tenants',
    functions: ['defineTenancy'],
    types: [
      ['resource/tenancy/define-tenancy.ts', 'TenancyDeclaration', 'Members of a tenancy'],
      ['resource/tenancy/tenant-words.ts', 'MembersDeclaration', 'Members of a tenancy, and of a group in it'],
    ],
  },
  {
    title: 'Hooks',
    types: [
      ['resource/code/hooks.ts', 'Hooks', 'Members of `hooks`'],
      ['resource/code/hooks.ts', 'HookContext', 'Each is given these, beside `sent`, `record` and `previous`'],
    ],
  },
  {
    title: 'Checks of a record',
    types: [['resource/code/record-check.ts', 'RecordCheck', 'Members of each check under `checks`']],
  },
  { title: 'The mark of users', functions: ['verifyAddress'], types: [[mark, 'LoginMark', 'Members of `identity`']] },
  {
    title: 'Programs',
    functions: ['runService', 'runCommandLine'],
    types: [
      ['service/run.ts', 'RunOptions', 'Options of `runService`'],
      ['service/run.ts', 'RunningService', 'Arguments of `ready`'],
    ],
  },
]
