/** Mistakes in the mark of a resource: each part must be a field that identity can use. Which marks an application needs is asked later. */
import { auditEventNames } from '../accounts/audit-events.ts'
import { endOtherSessions, isVerification, rotateKey } from '../accounts/credential-actions.ts'
import { currentPassword } from '../accounts/credentials.ts'
import {
  type FactorMark,
  factorTypes,
  type IdentityMark,
  type LinkedAccountMark,
  type LoginMark,
} from '../accounts/identity-mark.ts'
import type { Field } from '../fields/field.ts'
import { shown } from '../members.ts'
import { meantOf } from '../words/nearest.ts'
import { checkAudit } from './check-audit.ts'
import { type Context, fieldOf, noField } from './declaration-check.ts'

type Part = {
  readonly is: (field: Field, context: Context) => boolean
  readonly must: string
}
type Kind = IdentityMark['kind']
type PartsOf<M> = {
  readonly [P in Exclude<M extends unknown ? keyof M : never, 'kind' | 'operator' | 'activeStatus'>]-?: Part
}

/** Where no resource is marked so, that is the mistake, and `marks.ts` says it. */
function refersTo(kind: Kind): Part['is'] {
  return ({ reference }, { byName }) => {
    const target = byName.get(reference?.resource ?? '')
    return target?.identity?.kind === kind || ![...byName.values()].some(({ identity }) => identity?.kind === kind)
  }
}
const isText = ({ type }: Field) => type.column === 'text' && type.secret === undefined && !type.referredBy
const text: Part = { is: isText, must: 'be a text' }
const texts: Part = { is: ({ type }) => type.isList === true, must: 'be a textList()' }
const moment: Part = { is: ({ type }) => type.column === 'timestamp', must: 'be a timestamp' }
const hashed: Part = { is: ({ type }) => type.secret === 'kept', must: 'be a hash()' }
const ofUser: Part = { is: refersTo('login'), must: 'be a reference to the resource of the log-in' }

const parts: { readonly [K in Kind]: PartsOf<Extract<IdentityMark, { readonly kind: K }>> } = {
  login: {
    login: text,
    secret: { is: ({ type }) => type.secret === 'sent', must: 'be a password()' },
    role: { is: ({ values, takesRoles }) => takesRoles || values !== undefined, must: 'be a roleField()' },
    status: { is: ({ values }) => values !== undefined, must: 'be a choice or a state' },
  },
  'api-key': {
    owner: ofUser,
    token: { is: ({ type }) => type.secret === 'made', must: 'be a token()' },
    scopes: texts,
    active: { is: ({ type }) => type.column === 'boolean', must: 'be a boolean()' },
    expiresAt: moment,
    lastUsedAt: moment,
    prefix: text,
    lastUsedFrom: text,
    addresses: texts,
    rotatedAt: moment,
  },
  session: {
    owner: ofUser,
    expiresAt: moment,
    lastUsedAt: moment,
    userAgent: text,
    address: text,
    place: text,
    factorAt: moment,
  },
  'refresh-token': {
    session: { is: refersTo('session'), must: 'be a reference to the resource of sessions' },
    hash: hashed,
    usedAt: moment,
  },
  'linked-account': { owner: ofUser, issuer: text, subject: text },
  'one-time-token': {
    owner: ofUser,
    purpose: text,
    hash: hashed,
    address: text,
    expiresAt: moment,
  },
  'outgoing-mail': {
    owner: {
      is: (field, context) => field.nullable && ofUser.is(field, context),
      must: "be a reference to the resource of the log-in with onDelete: 'clear', since it may be null",
    },
    letter: text,
    recipient: text,
    detail: text,
    languages: text,
    tries: { is: ({ type }) => type.name === 'integer', must: 'be an integer()' },
    dueAt: moment,
  },
  factor: {
    owner: ofUser,
    type: {
      is: ({ values }) => values?.length === factorTypes.length && factorTypes.every((one) => values.includes(one)),
      must: `be a choice of ${factorTypes.join(', ')}`,
    },
    name: text,
    key: { is: ({ type }) => type.secret === 'sealed', must: 'be a sealed()' },
    credential: hashed,
    lastUsedAt: moment,
  },
  'recovery-code': { owner: ofUser, hash: hashed },
  audit: {
    at: { is: ({ setBy }) => setBy === 'create', must: "be a timestamp({ setOn: 'create' })" },
    event: {
      is: ({ values }) => auditEventNames.every((one) => values?.includes(one)),
      must: 'be a choice(auditEventNames)',
    },
    user: ofUser,
    actor: ofUser,
    credential: text,
    address: text,
    userAgent: text,
    details: texts,
  },
}

/** Roles are words of GraphQL, of commands and of variables that have commas between them. */
const roleName = /^(?!(?:true|false|null)$)(?!__)[A-Za-z_][A-Za-z0-9_]*$/

function checkRoles({ declared, report }: Context, { role, operator }: LoginMark): void {
  const names = fieldOf(declared, role)?.values ?? []
  for (const name of names)
    if (!roleName.test(name))
      report('identity.role', `the role "${name}" must be letters, digits and _, and begin with a letter`)
  if (operator !== undefined && names.length > 0 && !names.includes(operator))
    report('identity.operator', `no role "${operator}"${meantOf(operator, names)}`)
}

/** Two with one name would share a log-in, and only the first could use it. */
function checkLogin({ declared, report }: Context, { login, status, activeStatus }: LoginMark): void {
  const field = fieldOf(declared, login)
  const isUnique = field?.unique || declared.unique?.some((key) => key.length === 1 && key[0] === login)
  if (field && !isUnique)
    report('identity.login', `"${login}" must be unique, or two could share it and only one log in: unique: true`)
  if (field?.nullable) report('identity.login', `"${login}" must be required: nobody can log in without it`)
  if ((status === undefined) !== (activeStatus === undefined))
    report('identity', 'status and activeStatus come together')
  if (fieldOf(declared, currentPassword))
    report(`field "${currentPassword}"`, 'the name is taken: it is what users send beside a new password')
  const states = fieldOf(declared, status ?? '')?.values
  if (states && activeStatus !== undefined && !states.includes(activeStatus))
    report('identity.activeStatus', `"${status}" cannot be ${shown(activeStatus)}${meantOf(activeStatus, states)}`)
}

/** The engine's own actions need what they work on. */
function checkOwnActions({ declared, report }: Context): void {
  const { identity: mark } = declared
  for (const [name, action] of Object.entries(declared.actions ?? {})) {
    const { run } = action
    if (isVerification(action) && mark?.kind !== 'login')
      report(`actions.${name}`, 'verifyAddress is for the resource of the log-in')
    if (run === endOtherSessions.run && mark?.kind !== 'session')
      report(`actions.${name}`, 'endOtherSessions is for the resource of sessions')
    if (run !== rotateKey.run) continue
    if (mark?.kind !== 'api-key') report(`actions.${name}`, 'rotateKey is for the resource of API keys')
    else if (mark.rotatedAt === undefined)
      report(`actions.${name}`, 'rotateKey needs rotatedAt in the mark of identity')
  }
}

/** The engine writes these by itself, some of them without reading them first. */
function checkHooks({ declared, report }: Context): void {
  const { hooks, identity } = declared
  if (hooks && identity && identity.kind !== 'login')
    report('hooks', 'are for resources of your own and for users: the engine itself writes these records')
}

/** Whoever removes a factor shows who they are for that one. */
function checkFactor({ declared, report }: Context, _mark: FactorMark): void {
  if (declared.list?.bulk) report('list.bulk', 'factors are removed one by one')
  for (const operation of ['create', 'replace', 'import'])
    if (declared.access[operation]) report(`access.${operation}`, 'factors are enrolled by the engine alone')
}

/**
 * Tokens name the user and the session, by ids that are texts. An application with keys alone has
 * none.
 */
function checkNamedInTokens({ declared, byName, report }: Context): void {
  if (![...byName.values()].some(({ identity }) => identity?.kind === 'session')) return
  for (const [name, { type }] of Object.entries(declared.fields))
    if (type.referredBy && type.column !== 'text')
      report(`field "${name}"`, 'must be id(): tokens name users and sessions by it, and a number is refused in them')
}

/** Otherwise one person of the issuer could be several of ours. */
function checkLinkedAccount({ declared, report }: Context, { issuer, subject }: LinkedAccountMark): void {
  const isUnique = declared.unique?.some((key) => key.length === 2 && key.includes(issuer) && key.includes(subject))
  if (!isUnique) report('identity', `must be unique by issuer and subject: unique: [['${issuer}', '${subject}']]`)
}

export function checkIdentity(context: Context): void {
  const { declared, byName, report } = context
  const mark = declared.identity
  checkOwnActions(context)
  checkHooks(context)
  if (!mark) return
  const first = [...byName.values()].find((other) => other.identity?.kind === mark.kind)
  if (first !== declared) report('identity', `"${first?.name}" is marked as "${mark.kind}" already`)
  for (const [name, part] of Object.entries<Part>(parts[mark.kind])) {
    const named = (mark as unknown as Readonly<Record<string, string | undefined>>)[name]
    if (named === undefined) continue
    const field = fieldOf(declared, named)
    if (!field) report(`identity.${name}`, noField(declared, named))
    else if (field.virtual || !part.is(field, context)) report(`identity.${name}`, `"${named}" must ${part.must}`)
  }
  if (mark.kind === 'login' || mark.kind === 'session') checkNamedInTokens(context)
  if (mark.kind === 'login') checkLogin(context, mark)
  if (mark.kind === 'login') checkRoles(context, mark)
  if (mark.kind === 'factor') checkFactor(context, mark)
  if (mark.kind === 'linked-account') checkLinkedAccount(context, mark)
  if (mark.kind === 'audit') checkAudit(context)
}
