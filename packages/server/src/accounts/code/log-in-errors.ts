/** The errors of log-ins that an application refuses, for the documents of routes. */
import type { LoginMark } from '../../resource/accounts/identity-mark.ts'
import type { MarkedTable } from '../../resource/catalog.ts'

export type LogInErrors = readonly 'conflict'[]

/** Those besides the ones that every log-in has. */
export function logInErrors({ mark }: MarkedTable<LoginMark>): LogInErrors {
  return mark.code?.hooks.beforeLogIn ? ['conflict'] : []
}
