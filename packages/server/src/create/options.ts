/** The options of `npm create bindery` and `bindery init`. */
import { templateKindNames } from './template-kinds.ts'

export type CreateOptions = {
  readonly kind?: string
  /** Asks no questions: options that are not given take their defaults. */
  readonly yes?: boolean
  readonly install?: boolean
  /** The source of `bindery-server`; the version of this package when absent. */
  readonly engine?: string
}

export const optionTexts = {
  folder: 'empty, or not there yet',
  kind: `the kind of application: ${templateKindNames.join(', ')}`,
  yes: 'ask nothing',
  noInstall: 'do not run npm install',
  engine: 'where bindery-server comes from: a version, or the path of a packed one, which is copied',
} as const
