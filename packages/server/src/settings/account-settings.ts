/** The variables about accounts and the mails to their owners: their texts → checked values, or one clear line. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Environment, fail, oneOf, parseSpan, type Variable, wholeNumber } from '../base/environment.ts'
import type { Settings } from '../resource/rule.ts'

export type MailSettings = {
  /** `smtp://user:password@host:587`. Undefined: mails become files in the data folder. */
  readonly smtpUrl: string | undefined
  /** `Shop <no-reply@shop.example>`; undefined where nobody has said. */
  readonly from: string | undefined
  /** What the links in mails begin with. Undefined: this server's own pages, at the address that it listens on. */
  readonly links: string | undefined
  /** The folder of texts that take the place of the server's own, if there is one. */
  readonly texts: string | undefined
}

export type AccountSettings = {
  readonly mail: MailSettings
  /** What zxcvbn must give a new password at least, from 1 to 4. Undefined: it is not asked. */
  readonly passwordStrength: number | undefined
  /** A session that was not used for so long ends. Undefined: none does before its seven days. */
  readonly sessionIdleMs: number | undefined
  /** Roles that need a second factor, as they were named; undefined where nobody needs one. */
  readonly mfa: 'required' | readonly string[] | undefined
  /** How long audit events are kept. */
  readonly auditDays: number
}

/** The folder of texts in the application, unless another one is named. */
const usualTexts = 'mail'

export const accountVariables: readonly Variable[] = [
  {
    name: 'SESSION_IDLE',
    value: 'off',
    about: 'a session that nobody used for so long ends: 5m to 7d; seven days end it in any case',
  },
  { name: 'AUDIT_DAYS', value: '400', about: 'how many days audit events are kept' },
  {
    name: 'SMTP_URL',
    value: '',
    about: 'sends mails, smtp://user:password@host:587; without it they are files',
    isSecret: true,
  },
  { name: 'MAIL_FROM', value: 'no-reply@localhost', about: 'who mails are from: Shop <no-reply@shop.example>' },
  { name: 'MAIL_LINKS', value: 'own pages', about: 'what links in mails begin with: https://app.example' },
  { name: 'MAIL_TEXTS', value: './mail', about: 'folder of texts of mails that replace the own ones' },
  {
    name: 'VERIFY_EMAIL',
    value: 'off',
    about: 'required: new users are INACTIVE, and new addresses wait, until a mail is answered',
  },
  { name: 'LOGIN_LINK', value: 'off', about: 'on: a link in a mail logs in' },
  {
    name: 'MFA',
    value: 'off',
    about: 'roles that need a second factor, with commas between them; or required, for all',
  },
  { name: 'PASSWORD_STRENGTH', value: '', about: '1 to 4, what zxcvbn must give a new password; off unless set' },
  {
    name: 'PENDING_TIMEOUT',
    value: '',
    about: 'how long what waits for payment waits, for example 48h; for ever unless set',
  },
]

function parseSmtpUrl(text: string | undefined): string | undefined {
  if (!text) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  // The value holds a password, so it is not shown.
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '')
    fail('SMTP_URL', 'must look like smtp://user:password@mail.example:587, or smtps:// for TLS from the start')
  return text
}

/** An address that every mail server takes as one: no quotes, no lists, no comments. */
const plainAddress = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+$/

function parseFrom(text: string | undefined): string | undefined {
  if (!text) return undefined
  const [, name = '', address = ''] = /^(?:([^<>"\p{C}]*?)\s*<([^<>]+)>)$/u.exec(text.trim()) ?? ['', '', text.trim()]
  if (!plainAddress.test(address))
    fail('MAIL_FROM', `must be an address, alone or with a name: Shop <no-reply@shop.example>; ${text} is none`)
  return name === '' ? address : `${name} <${address}>`
}

/** Without a slash at its end. */
function parseLinks(text: string | undefined): string | undefined {
  if (!text) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.hash !== '')
    fail('MAIL_LINKS', `must be the beginning of addresses, such as https://app.example; ${text} is none`)
  return text.replace(/\/+$/, '')
}

function parseTexts(text: string | undefined): string | undefined {
  const folder = resolve(text || usualTexts)
  if (existsSync(folder)) return folder
  if (text) fail('MAIL_TEXTS', `names a folder that is not there: ${folder}`)
  return undefined
}

/** `48h` → 172800 */
function parsePendingTimeout({ PENDING_TIMEOUT: text }: Environment): number | undefined {
  if (!text) return undefined
  const ms = parseSpan(text, /^(\d{1,6})([smhd])$/)
  if (!ms) fail('PENDING_TIMEOUT', `must look like 48h (s, m, h or d), not ${text}`)
  return ms / 1000
}

const idleMs = { min: 5 * 60_000, max: 7 * 24 * 60 * 60_000 }

/** `30m` → milliseconds. Undefined for `off`. */
function parseIdle({ SESSION_IDLE: text }: Environment): number | undefined {
  if (!text || text === 'off') return undefined
  const ms = parseSpan(text, /^(\d{1,5})([mhd])$/)
  if (ms === undefined || ms < idleMs.min || ms > idleMs.max)
    fail('SESSION_IDLE', `must be off, or 5m to 7d, not ${text}`)
  return ms
}

/** Which roles there are is asked when the application is known: `role-settings.ts`. */
function parseMfa({ MFA: text }: Environment): AccountSettings['mfa'] {
  if (text === undefined || text === '' || text === 'off') return undefined
  return text === 'required' ? text : text.split(',').map((one) => one.trim())
}

/** The part that declarations and documents ask about. */
export function parseAccountOptions(env: Environment): Pick<Settings, 'verifyEmail' | 'loginLink' | 'pendingSeconds'> {
  const seconds = parsePendingTimeout(env)
  return {
    verifyEmail: oneOf(env, 'VERIFY_EMAIL', { values: ['off', 'required'], otherwise: 'off' }) === 'required',
    loginLink: oneOf(env, 'LOGIN_LINK', { values: ['off', 'on'], otherwise: 'off' }) === 'on',
    ...(seconds === undefined ? {} : { pendingSeconds: seconds }),
  }
}

/** Throws `StartError` with one clear line about the first bad value. */
export function parseAccounts(env: Environment): AccountSettings {
  const strength = oneOf(env, 'PASSWORD_STRENGTH', { values: ['off', '1', '2', '3', '4'], otherwise: 'off' })
  return {
    mail: {
      smtpUrl: parseSmtpUrl(env.SMTP_URL),
      from: parseFrom(env.MAIL_FROM),
      links: parseLinks(env.MAIL_LINKS),
      texts: parseTexts(env.MAIL_TEXTS),
    },
    passwordStrength: Number(strength) || undefined,
    sessionIdleMs: parseIdle(env),
    mfa: parseMfa(env),
    auditDays: wholeNumber(env, 'AUDIT_DAYS', { min: 1, max: 36_500, otherwise: 400 }),
  }
}
