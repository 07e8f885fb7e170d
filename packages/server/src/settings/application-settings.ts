/** The values of an application's own settings, read from the environment by their fields. */
import type { Environment, Variable, VariableGroup } from '../base/environment.ts'
import { StartError } from '../errors.ts'
import type { Field } from '../resource/fields/field.ts'
import { isPart } from '../resource/parts/application-part.ts'
import { notListed } from '../resource/parts/check-parts.ts'
import { type DeclaredSettings, settingsType, variableOf } from '../resource/parts/define-settings.ts'
import type { CodeSettings } from '../resource/parts/part-handles.ts'
import { isSecretVariable, withSecretFiles } from './secret-files.ts'
import { type ShownSetting, showSettings } from './shown-settings.ts'

export type ApplicationSettings = {
  /** The values. Throws a `StartError` where one is missing or wrong. */
  readonly of: CodeSettings['of']
  /** A sentence for each value that is missing or wrong; none holds a secret. */
  readonly mistakes: readonly string[]
}

/** `a, b` or `["a", "b"]` */
function parseList(text: string, item: Field | undefined): readonly unknown[] {
  if (text.startsWith('[')) return JSON.parse(text)
  const parts = text.split(',').map((one) => one.trim())
  const given = parts.filter((one) => one !== '')
  return !item || item.type.isProse ? given : given.map((one) => item.type.parse(one, 'value', item))
}

/** The stored value of a text of the environment. Throws. */
function parseValue(text: string, name: string, field: Field): unknown {
  const { type } = field
  if (type.item || type.isList) return type.check(parseList(text.trim(), type.item), name, field)
  if (type.isCellJson) return type.check(JSON.parse(text), name, field)
  const value = type.parseCell ? type.parseCell(text, name, field) : type.parse(text, name, field)
  type.checkStored(value, name, field)
  return value
}

type ReadValue = { readonly value: unknown } | { readonly mistake: string }

function readValue(
  env: Environment,
  name: string,
  { field, isSecret }: { field: Field; isSecret: boolean },
): ReadValue {
  const variable = variableOf(name)
  const text = env[variable]
  if (!text) {
    if (field.default !== undefined) return { value: field.default }
    const about = field.description === undefined ? '' : `: ${field.description}`
    return field.required ? { mistake: `${variable} must be set${about}` } : { value: null }
  }
  try {
    return { value: parseValue(text, variable, field) }
  } catch (error) {
    const { message } = error as Error
    const isTold = error instanceof SyntaxError || (isSecret && message.includes(text))
    return {
      mistake: isTold ? `${variable} must be ${error instanceof SyntaxError ? 'JSON' : 'another value'}` : message,
    }
  }
}

/** The variables of the parts of a list, whose form need not be right. */
export function applicationVariables(list: readonly unknown[]): VariableGroup {
  const found = list.filter(isPart).filter((one) => one.partType === settingsType) as unknown as DeclaredSettings[]
  const variables = found.flatMap(({ settings }): Variable[] =>
    Object.entries(settings?.fields ?? {}).map(([name, field]) => ({
      name: variableOf(name),
      takes: field?.type?.name ?? '',
      value: field?.default === undefined || field.default === null ? '' : String(field.default),
      about: field?.description ?? '',
      ...(settings.secret?.includes(name) && { isSecret: true }),
    })),
  )
  return { title: 'Application', variables }
}

/** A sentence for each variable that is one of the server's own. `known`: these. */
export function findTakenVariables(list: readonly DeclaredSettings[], known: readonly Variable[]): readonly string[] {
  const isTaken = (name: string) => known.some((one) => one.name === name) || isSecretVariable(name, known)
  return list.flatMap(({ settings, writtenIn }) =>
    Object.keys(settings.fields)
      .filter((field) => isTaken(variableOf(field)) || isTaken(variableOf(field).replace(/_FILE$/, '')))
      .map(
        (field) =>
          `${writtenIn}: defineSettings: field "${field}": ${variableOf(field)} is a variable of the server; give it another name`,
      ),
  )
}

/** All of them may stand in files. */
export function inFiles(variables: readonly Variable[]): readonly Variable[] {
  return variables.map((one) => ({ ...one, isSecret: true }))
}

/** The variables of the server and of the application, as an operator may see them. */
export function showApplicationSettings(
  given: Environment,
  groups: readonly VariableGroup[],
  list: readonly DeclaredSettings[],
): readonly ShownSetting[] {
  if (list.length === 0) return showSettings(given, groups)
  const own = applicationVariables(list)
  return showSettings(withSecretFiles(given, inFiles(own.variables)), [...groups, own])
}

/** Reads all values once. `list`: the settings of an application, checked. */
export function readApplicationSettings(list: readonly DeclaredSettings[], given: Environment): ApplicationSettings {
  const { variables } = applicationVariables(list)
  const env = withSecretFiles(given, inFiles(variables))
  const wrong = new Map<DeclaredSettings, readonly string[]>()
  const known = new Map<DeclaredSettings, Readonly<Record<string, unknown>>>()
  for (const one of list) {
    const { fields, secret = [] } = one.settings
    const read = Object.entries(fields).map(
      ([name, field]) => [name, readValue(env, name, { field, isSecret: secret.includes(name) })] as const,
    )
    const mistakes = read.flatMap(([, found]) => ('mistake' in found ? [found.mistake] : []))
    if (mistakes.length > 0) wrong.set(one, mistakes)
    known.set(
      one,
      Object.freeze(Object.fromEntries(read.map(([name, found]) => [name, 'value' in found && found.value]))),
    )
  }
  return {
    mistakes: [...wrong.values()].flat(),
    of(given) {
      const settings = given as unknown as DeclaredSettings
      const mistakes = wrong.get(settings)
      if (mistakes) throw new StartError(mistakes.join('\n'))
      const values = known.get(settings)
      if (values) return values as never
      throw notListed(settings)
    },
  }
}
