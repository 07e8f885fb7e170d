/**
 * `defineSettings`: settings of an application, which come from the environment. Each has the type
 * of its field, and the name of its variable follows from that of the field.
 */
import type { Fields } from '../fields/field.ts'
import { fieldKind } from '../fields/field-kind.ts'
import { listOfKind, type Members, mistakesIn, tableOf, textKind } from '../members.ts'
import type { FieldName, RecordOf } from '../record-of.ts'
import { snakeOf } from '../words/names.ts'
import { findMeant } from '../words/nearest.ts'
import { type DeclaredPart, type PartCheck, type PartType, partOf } from './application-part.ts'
import { checkPlainFields } from './plain-fields.ts'

export type SettingsDeclaration<F extends Fields = Fields> = {
  /**
   * Name → field. `stripeKey: text({ required: true })` is the variable `STRIPE_KEY`, or the
   * content of the file that `STRIPE_KEY_FILE` names. A required one without a value stops the
   * start.
   */
  readonly fields: F
  /** The fields whose values are shown to no one and are never logged. */
  readonly secret?: readonly NoInfer<FieldName<F>>[]
}

/** Settings as an application lists them. */
export type DeclaredSettings<F extends Fields = Fields> = DeclaredPart<''> & {
  readonly settings: SettingsDeclaration<F>
}

/**
 * The values of settings: null where one has neither a value nor a default, money in minor units.
 */
export type SettingsOf<F extends Fields> = RecordOf<F>

const members = { fields: tableOf(fieldKind), secret: listOfKind(textKind) } satisfies Members<SettingsDeclaration>

/** Variables that shells and systems set themselves, in lower case. */
const ofSystems: ReadonlySet<string> = new Set([
  ...['home', 'hostname', 'lang', 'language', 'logname', 'oldpwd', 'path', 'pwd', 'shell', 'temp', 'term'],
  ...['tmp', 'tmpdir', 'tz', 'user', 'username'],
])

/** `stripeKey` → `STRIPE_KEY` */
export function variableOf(field: string): string {
  return snakeOf(field).toUpperCase()
}

/** The variables of a field: its value, or the file that has it. */
function variablesOf(field: string): readonly string[] {
  return [variableOf(field), `${variableOf(field)}_FILE`]
}

function checkSettings({ settings, ...part }: DeclaredSettings, context: PartCheck): void {
  const { parts, report } = context
  const { fields, secret = [] } = settings
  checkPlainFields(fields, context)
  for (const name of secret.filter((one) => !Object.hasOwn(fields, one)))
    report('secret', `no field "${name}"${findMeant(name, Object.keys(fields))}`)
  const others = parts
    .filter((one): one is DeclaredSettings => one.partType === settingsType)
    .flatMap((one) => Object.keys(one.settings.fields).map((name) => ({ name, at: one.writtenAt })))
  for (const name of Object.keys(fields)) {
    const variable = variableOf(name)
    if (ofSystems.has(variable.toLowerCase()) || /^(NODE|NPM)_/.test(variable))
      report(`field "${name}"`, `its variable ${variable} belongs to the system; give it another name`)
    const twin = others.find(
      (one) =>
        !(one.name === name && one.at === part.writtenAt) &&
        variablesOf(one.name).some((taken) => variablesOf(name).includes(taken)),
    )
    if (twin) report(`field "${name}"`, `its variable ${variable} is also one of "${twin.name}" of ${twin.at}`)
  }
}

export const settingsType: PartType<DeclaredSettings> = {
  kind: 'settings',
  definedBy: 'defineSettings',
  isUnnamed: true,
  findFormMistakes: ({ settings }) => mistakesIn(settings, members, ['fields']),
  check: checkSettings,
}

/**
 * Declares settings of an application: `defineSettings({ fields: { stripeKey: text({ required: true
 * }), freeFrom: money({ default: 5000 }) }, secret: ['stripeKey'] })`. The environment gives them:
 * `STRIPE_KEY`, `FREE_FROM`. Code reads them by `settings.of(shopSettings).stripeKey`.
 */
export function defineSettings<const F extends Fields>(settings: SettingsDeclaration<F>): DeclaredSettings<F> {
  return { ...partOf(settingsType, ''), settings }
}
