/** The variables about second factors: who needs one, and for which address passkeys are made. */
import { type Environment, fail, type Variable } from './environment.ts'
import { parsePublicUrl } from './public-url.ts'
import { type Role, roles } from './resource/rule.ts'

export type FactorSettings = {
  /** The role from which on a log-in needs a second factor; undefined: none does. */
  readonly mfaFrom: Role | undefined
  /** Undefined: the address of each request. */
  readonly publicUrl: string | undefined
}

export const factorVariables: readonly Variable[] = [
  { name: 'MFA', value: 'off', about: 'roles that need a second factor, such as EDITOR,ADMIN; or required, for all' },
  { name: 'PUBLIC_URL', value: '', about: 'where people reach the service, for passkeys: https://shop.example' },
]

/** The lowest role that is named: what it needs, the higher ones need too. `EDITOR,ADMIN` → `EDITOR` */
function parseMfa({ MFA: text }: Environment): Role | undefined {
  if (text === undefined || text === '' || text === 'off') return undefined
  if (text === 'required') return roles[0]
  const named = text.split(',').map((one) => one.trim())
  const wrong = named.find((one) => !(roles as readonly string[]).includes(one))
  if (wrong !== undefined) fail('MFA', `must be off, required, or roles of ${roles.join(', ')}; ${wrong} is none`)
  return roles.find((role) => named.includes(role))
}

export function parseFactorSettings(env: Environment): FactorSettings {
  return { mfaFrom: parseMfa(env), publicUrl: parsePublicUrl(env) }
}
