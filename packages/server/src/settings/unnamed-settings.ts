/**
 * Settings of OpenID providers and trusted issuers that the environment does not name: nothing
 * reads them. Roles that would come from none of them stop the start, since their operator relies
 * on them.
 */
import { type Environment, fail, partsOf, type Variable } from '../base/environment.ts'
import { inVariables, namingVariables } from './federation-settings.ts'

/** `OIDC_NAME_ROLES` → `/^OIDC_(.+)_ROLES$/` */
const formOf = ({ name }: Variable) => new RegExp(`^${name.replace('NAME', '(.+)')}(?:_FILE)?$`)

/**
 * Throws `StartError` for roles by a provider that is none. The others are returned, a sentence
 * each.
 */
export function unnamedSettings(env: Environment): readonly string[] {
  return namingVariables.flatMap(([list, variables]) => {
    const named = new Set(partsOf(env[list]).map(inVariables))
    const forms = variables.map(formOf)
    const unnamed = Object.keys(env).filter((name) => {
      const found = env[name] && forms.map((form) => form.exec(name)?.[1]).find((one) => one !== undefined)
      return found && !named.has(found)
    })
    const roles = unnamed.find((name) => name.endsWith('_ROLES'))
    if (roles)
      fail(roles, `gives roles by a provider that ${list} does not name: add the provider there, or unset this`)
    return unnamed.map((name) => `${name} is set, and ${list} does not name it: nothing reads it`)
  })
}
