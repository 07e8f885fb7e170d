/** Access rules as the document shows them: which credentials, which refusals, and a sentence for people. */
import type { Rule, Settings } from '../resource/rule.ts'
import type { Node } from './node.ts'

const bearer: Node = { bearer: [] }
const keys: readonly Node[] = [{ apiKeyHeader: [] }, { apiKeyQuery: [] }]

export const securitySchemes: Node = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The access token of a login. It lives 15 minutes.',
  },
  apiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'An API key acts for its owner, cut down to its scopes.',
  },
  apiKeyQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'api_key',
    description: 'The same key where no header can be set; it is visible in logs.',
  },
  refreshCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'refreshToken',
    description: 'Set by the login, for refresh and logout alone.',
  },
}

/** With the configuration applied: which of two rules is meant is decided at start. */
export function settle(rule: Rule, settings: Settings): Rule {
  if (rule.kind !== 'setting') return rule
  return settle(rule.when(settings) ? rule.rule : rule.otherwise, settings)
}

/** Whether somebody without a credential gets past the rule, to all records or to some. */
export function isOpen(rule: Rule, settings: Settings): boolean {
  const settled = settle(rule, settings)
  if (settled.kind === 'anyone' || settled.kind === 'where') return true
  if (settled.kind === 'either') return settled.rules.some((one) => isOpen(one, settings))
  return settled.kind === 'through' && isOpen(settled.rule, settings)
}

/** Any one of these will do; the empty one means none. */
export function securityOf(rule: Rule, settings: Settings): readonly Node[] {
  if (settle(rule, settings).kind === 'machine') return keys
  return isOpen(rule, settings) ? [{}, bearer, ...keys] : [bearer, ...keys]
}

/** `the user in userId, or role ADMIN` */
export function describeRule(rule: Rule, settings: Settings): string {
  switch (rule.kind) {
    case 'anyone':
      return 'anyone'
    case 'user':
      return 'any user'
    case 'role':
      return rule.role === 'ADMIN' ? 'role ADMIN' : `role ${rule.role} or higher`
    case 'owner':
      return `the user in \`${rule.field}\``
    case 'where': {
      const conditions = Object.entries(rule.values).map(([name, value]) => `\`${name}\` is ${value}`)
      return `anyone where ${conditions.join(' and ')}`
    }
    case 'through':
      return `${describeRule(rule.rule, settings)} (of the record in \`${rule.field}\`)`
    case 'either':
      return rule.rules.map((one) => describeRule(one, settings)).join(', or ')
    case 'machine':
      return `an API key whose owner has ${describeRule(rule.rule, settings)}`
    case 'setting':
      return describeRule(settle(rule, settings), settings)
  }
}
