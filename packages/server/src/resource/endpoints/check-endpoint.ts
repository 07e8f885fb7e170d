/** Finds mistakes in endpoints: their members, the resource that they are on, rules and fields. */
import { defaultMistake } from '../checks/check-fields.ts'
import type { DeclaredResource } from '../define.ts'
import type { Field, Fields } from '../fields/field.ts'
import { fieldKind } from '../fields/field-kind.ts'
import {
  countUpTo,
  exampleKind,
  functionKind,
  isTable,
  kindOf,
  type MemberKind,
  type Members,
  mistakesIn,
  objectOf,
  oneOf,
  tableOf,
  textKind,
} from '../members.ts'
import { isEngineOperation } from '../operation-kind.ts'
import type { PartCheck, PartType } from '../parts/application-part.ts'
import { checkRule, ruleKind } from '../rule.ts'
import { anyone } from '../rules/anyone.ts'
import { checkValues, valueMistake } from './check-output.ts'
import {
  type AnyEndpoint,
  bodyBytesLimit,
  type DeclaredEndpoint,
  type EndpointLimits,
  endpointErrors,
  secondsLimit,
} from './endpoint-declaration.ts'
import { type BytesOutput, isBytesOutput, isLinesOutput, type LinesOutput } from './endpoint-output.ts'

const resourceKind = kindOf(
  'a resource, as defineResource returns it',
  (value) => isTable(value) && isTable(value.fields),
)
const onKind: MemberKind = (value, path, report) => {
  objectOf({ record: resourceKind, collection: resourceKind })(value, path, report)
  if (isTable(value) && (value.record === undefined) === (value.collection === undefined))
    report({ path, problem: 'must be { record: … } or { collection: … }' })
}
const fieldsKind = tableOf(fieldKind)
const linesMembers = { answersBy: textKind, fields: fieldsKind } satisfies Members<LinesOutput>
const bytesMembers = {
  answersBy: textKind,
  mediaType: kindOf('a media type, such as text/csv', (value) => /^[\w.+-]+\/[\w.+-]+(;.*)?$/.test(String(value))),
} satisfies Members<BytesOutput>
const outputKind: MemberKind = (value, path, report) => {
  const kind = isLinesOutput(value)
    ? objectOf(linesMembers)
    : isBytesOutput(value)
      ? objectOf(bytesMembers)
      : fieldsKind
  kind(value, path, report)
}
const errorsKind: MemberKind = (value, path, report) => {
  tableOf(textKind)(value, path, report)
  for (const code of isTable(value) ? Object.keys(value) : []) oneOf(endpointErrors)(code, path, report)
}
const limitMembers = {
  rate: kindOf('such as 600/1m, in s, m or h', (value) => /^[1-9]\d{0,8}\/\d{0,6}[smh]$/.test(String(value))),
  bodyBytes: countUpTo(bodyBytesLimit),
  seconds: countUpTo(secondsLimit),
} satisfies Members<EndpointLimits>

const members = {
  name: textKind,
  method: oneOf(['GET', 'POST']),
  on: onKind,
  rule: ruleKind,
  summary: textKind,
  description: textKind,
  query: fieldsKind,
  input: fieldsKind,
  example: exampleKind,
  body: oneOf(['raw']),
  verify: functionKind,
  once: functionKind,
  output: outputKind,
  errors: errorsKind,
  limits: objectOf(limitMembers),
  run: functionKind,
} satisfies Members<AnyEndpoint>

type Report = PartCheck['report']

/** Members that do not go together. */
function checkTogether({ method, input, body, verify, once, rule, output }: AnyEndpoint, report: Report): void {
  if (method === 'GET')
    for (const [name, value] of Object.entries({ input, body, verify, once }))
      if (value !== undefined) report(name, `a GET has no body${name === 'input' ? '; use query' : ''}`)
  if (body !== undefined && input !== undefined) report('input', 'a raw body is not read into fields')
  if (verify !== undefined && body === undefined) report('verify', "checks the bytes of a body: write body: 'raw'")
  if (once !== undefined && (isLinesOutput(output) || isBytesOutput(output)))
    report('once', 'keeps the answer, and cannot keep a stream: answer with fields, or with nothing')
  if (verify !== undefined && rule !== anyone)
    report('rule', 'must be anyone beside verify, which decides who may send it')
}

/** Why no request or answer can have such a field. */
function fieldMistake(field: Field, { byName }: PartCheck, place: string): string | undefined {
  const { scalar, isOpaque } = field.type
  if (place === 'query' && (scalar === null || isOpaque))
    return 'cannot be a query parameter: its value is no single text'
  return valueMistake(field) ?? defaultMistake(field, byName as never)
}

function checkFields(place: string, fields: Fields, context: PartCheck): void {
  checkValues(context.report, { place, fields, mistakeIn: (field) => fieldMistake(field, context, place) })
}

/** Words of scopes and of `access`, which stand for several operations. */
const scopeWords: readonly string[] = ['read', 'write', 'forbid']

/** Operations of the resource, whose names rules, scopes and documents have. */
function takenNames({ access, actions = {}, fields }: DeclaredResource): readonly string[] {
  const moves = Object.values(fields).flatMap(({ transitions = {} }) => Object.keys(transitions))
  return [...Object.keys(access), ...Object.keys(actions), ...moves]
}

function checkTarget({ on, name, rule }: AnyEndpoint, context: PartCheck): void {
  const { byName, tenancies, report } = context
  const shared = { byName, tenancies, report: (problem: string) => report('rule', problem) }
  const target = on?.record ?? on?.collection
  const listed = target && (byName.get(target.name) as DeclaredResource | undefined)
  if (scopeWords.includes(name)) report('name', 'stands for several operations in scopes; take another name')
  if (!target) checkRule(rule, { ...shared, declared: { name: '', fields: {} }, about: 'caller' })
  else if (!listed) report('on', `"${target.name}" is not in the list of resources`)
  else {
    if (listed.path === undefined) report('on', `"${target.name}" has no path`)
    if (isEngineOperation(name) || takenNames(listed).includes(name))
      report('name', `"${target.name}" has an operation of this name`)
    const about = on?.record ? 'record' : 'caller'
    checkRule(rule, { ...shared, declared: listed, about, takesMembers: listed.tenant !== undefined })
  }
}

function checkEndpoint({ endpoint }: DeclaredEndpoint, context: PartCheck): void {
  const { input = {}, query = {}, output = {} } = endpoint
  checkTogether(endpoint, context.report)
  checkTarget(endpoint, context)
  checkFields('input', input, context)
  checkFields('query', query, context)
  if (!isBytesOutput(output)) checkFields('output', isLinesOutput(output) ? output.fields : output, context)
}

export const endpointType: PartType<DeclaredEndpoint> = {
  kind: 'endpoint',
  definedBy: 'defineEndpoint',
  findFormMistakes: ({ endpoint }) => mistakesIn(endpoint, members, ['method', 'rule', 'run']),
  check: checkEndpoint,
}
