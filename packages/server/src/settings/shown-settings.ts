/** The variables with their values, as an operator may see them: a secret is only set or not. */
import { type Environment, partsOf, type Variable, type VariableGroup } from '../base/environment.ts'
import { inVariables, namingVariables } from './federation-settings.ts'
import { isSecretVariable } from './secret-files.ts'

export type ShownSetting = {
  readonly name: string
  readonly group: string
  readonly about: string
  readonly source: 'set' | 'default'
  /** Null where it is a secret, or where there is none. */
  readonly value: string | null
  readonly isSecret?: true
}

/** Addresses may have a user with a password in them, and parameters that are one. */
function withoutCredentials(value: string): string {
  return value.replace(/\/\/[^/\s]*@/g, '//…@').replace(/(\?).+$/, '$1…')
}

/** `OIDC_NAME_ISSUER` → `OIDC_CORP_ISSUER`, where `OIDC_PROVIDERS` names it. */
function namedBy(env: Environment, variable: Variable): readonly Variable[] {
  const forms = namingVariables.find(([list]) => list === variable.name)?.[1] ?? []
  return partsOf(env[variable.name]).flatMap((name) =>
    forms.map((form) => ({ ...form, name: form.name.replace('NAME', inVariables(name)) })),
  )
}

/** `groups`: every variable. Those that it names come after it. */
export function showSettings(env: Environment, groups: readonly VariableGroup[]): readonly ShownSetting[] {
  const known = groups.flatMap(({ variables }) => variables)
  return groups.flatMap(({ title: group, variables }) =>
    variables
      .flatMap((variable) => [variable, ...namedBy(env, variable)])
      .map(({ name, about, value: otherwise }): ShownSetting => {
        const given = env[name]
        const source = given ? 'set' : 'default'
        if (isSecretVariable(name, known)) return { name, group, about, source, value: null, isSecret: true }
        return { name, group, about, source, value: withoutCredentials(given || otherwise) || null }
      }),
  )
}
