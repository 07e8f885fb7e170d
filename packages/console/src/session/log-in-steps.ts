/** The steps of a log-in, and the requests of each. */

import { makePasskey, type NextStep, nextStepOf, RequestError } from 'bindery-server/client'
import { client } from '../api/client.ts'
import { keepMount } from '../api/session-mount.ts'
import { sayError } from '../shell/form-errors.ts'
import type { Word } from '../words/en.ts'
import { t } from '../words/words.ts'
import { ways } from './log-in-ways.ts'

export type Step =
  | { readonly is: 'first' }
  | { readonly is: 'factor'; readonly next: NextStep }
  | { readonly is: 'enrol'; readonly next: NextStep }
  | { readonly is: 'mail'; readonly letter: 'reset' | 'link' }
  /** Recovery codes are shown once: the page waits until they are kept. */
  | { readonly is: 'codes'; readonly codes: readonly string[] }

/** The step that a refused log-in asks for. */
export function stepOf(next: NextStep | undefined): Step | undefined {
  if (!next || next.next === 'link') return undefined
  return { is: next.next === 'enrol' ? 'enrol' : 'factor', next }
}

export function stepAfter(error: unknown): Step | undefined {
  return stepOf(nextStepOf(error))
}

const known: Readonly<Record<string, Word>> = {
  'Invalid credentials': 'wrongLogIn',
  'Invalid code': 'wrongProof',
  'Invalid recovery code': 'wrongProof',
  'Invalid passkey': 'wrongProof',
  'Invalid ticket': 'tookLong',
  'currentPassword is required': 'passwordMissing',
  'currentPassword is wrong': 'passwordWrong',
}

/** Whether the log-in has to begin again. */
export function isLate(error: unknown): boolean {
  return error instanceof RequestError && error.message === 'Invalid ticket'
}

export function sentenceOf(error: unknown): string {
  if (error instanceof RequestError) {
    const word = known[error.message]
    if (word) return t(word)
  }
  // The person has closed the browser's own dialog.
  return error instanceof DOMException ? t('noPasskey') : sayError(error)
}

/** Six digits are a code of an app; all else is a recovery code. */
function proofOf(typed: string): { code: string } | { recoveryCode: string } {
  const isCode = /^[\d\s-]+$/.test(typed) && typed.replace(/\D/g, '').length === 6
  return isCode ? { code: typed } : { recoveryCode: typed }
}

export async function proveByCode({ ticket }: NextStep, typed: string): Promise<void> {
  await client.logIn({ ticket, ...proofOf(typed) })
  keepMount('')
}

/** `next`: the log-in whose second step it is. */
export async function proveByPasskey(next?: NextStep): Promise<void> {
  await client.logInByPasskey(next)
  keepMount('')
}

export async function proveByPassword(credentials: {
  readonly email: string
  readonly password: string
}): Promise<void> {
  await client.logIn(credentials)
  keepMount('')
}

/** `options`: for a passkey. `secret` and `address`: for an app. */
export type Enrolling = {
  readonly ticket: string
  readonly secret?: string
  readonly address?: string
  readonly options?: object
}

type Enrolled = { readonly accessToken?: string; readonly recoveryCodes?: readonly string[] }

async function sendFactor(path: string, body: object): Promise<unknown> {
  const answer = await client.send('POST', `${ways.factors}${path}`, { body, idempotencyKey: false })
  return answer.body
}

/** The ticket of a log-in that may do nothing else, or the password of a logged-in person. */
type Confirmation = { readonly ticket?: string; readonly currentPassword?: string }

export async function beginToEnrol(
  { ticket, currentPassword }: Confirmation,
  type: 'totp' | 'passkey',
): Promise<Enrolling> {
  return (await sendFactor('', { ticket, currentPassword, type })) as Enrolling
}

/** Ends the log-in, if there is one. Returns the recovery codes, which the first factor has. */
export async function endEnrolment(
  { ticket }: Enrolling,
  proof: { readonly code: string } | { readonly passkey: object },
): Promise<readonly string[]> {
  const said = (await sendFactor('/finish', { ticket, ...proof })) as Enrolled
  if (said.accessToken !== undefined) keepMount('/api/v1')
  return said.recoveryCodes ?? []
}

/** Those of before work no longer. */
export async function renewCodes(confirmed: Confirmation): Promise<readonly string[]> {
  return ((await sendFactor('/recovery-codes', confirmed)) as Enrolled).recoveryCodes ?? []
}

export async function removeFactor(id: string, confirmed: Confirmation): Promise<void> {
  await client.send('DELETE', `${ways.factors}/${encodeURIComponent(id)}`, { body: confirmed })
}

export async function enrolPasskey(next: Confirmation): Promise<readonly string[]> {
  const begun = await beginToEnrol(next, 'passkey')
  return endEnrolment(begun, { passkey: await makePasskey(begun.options as object) })
}

/** The account agrees that the provider's log-in belongs to it. */
export async function confirmLink({ ticket }: NextStep, currentPassword: string | undefined): Promise<void> {
  // The client sends no token to `/api/v1/auth`.
  await client.send('POST', '/auth/oidc/link', { body: { ticket, ...(currentPassword && { currentPassword }) } })
}
