/**
 * Parses the environment variables of accounts and their mails; an invalid one becomes one clear
 * line.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Environment, fail, oneOf, parseSpan, type Variable, wholeNumber } from '../base/environment.ts'
import { isPasswordLength, passwordBytes } from '../resource/fields/secret.ts'
import { isEmail } from '../resource/fields/text.ts'
import type { ServiceSettings } from '../resource/rule.ts'

export type MailSettings = {
  /** `smtp://user:password@host:587`. Undefined: mails are written to files in the data folder. */
  readonly smtpUrl: string | undefined
  /** `Shop <no-reply@shop.example>`; undefined where it is not set. */
  readonly from: string | undefined
  /** The start of links in mails. Undefined: this server's own pages, at its listening address. */
  readonly links: string | undefined
  /** The folder of texts that replace the server's own, if there is one. */
  readonly texts: string | undefined
}

export type AccountSettings = {
  readonly mail: MailSettings
  /**
   * The lowest zxcvbn score of a new password, from 1 to 4. Undefined: the score is not checked.
   */
  readonly passwordStrength: number | undefined
  /** A session ends when it was not used for so long. Undefined: only after its seven days. */
  readonly sessionIdleMs: number | undefined
  /** The roles that need a second factor; undefined where none does. */
  readonly mfa: 'required' | readonly string[] | undefined
  /** How long audit events are kept. */
  readonly auditDays: number
}

export type FirstAdmin = { readonly email: string; readonly password: string }

/** The application's folder of texts, unless another one is set. */
const usualTexts = 'mail'

const passwordLength = `${passwordBytes.min} to ${passwordBytes.max.toLocaleString('en')} bytes`

export const accountVariables: readonly Variable[] = [
  {
    name: 'ADMIN_EMAIL',
    takes: 'e-mail address',
    value: 'admin@localhost',
    about: 'e-mail of the first operator, made when there is no user',
    more: 'Needs `ADMIN_PASSWORD`. See [Start a server](../how-to/operate-start.md#the-first-operator).',
  },
  {
    name: 'ADMIN_PASSWORD',
    takes: passwordLength,
    value: 'generated',
    about: `its password, ${passwordLength}`,
    more: 'Needs `ADMIN_EMAIL`.',
    isSecret: true,
  },
  {
    name: 'SIGN_UP',
    takes: '`open`, `approval` or `closed`',
    value: 'open',
    about: 'open, approval (new users are INACTIVE) or closed (only operators make users)',
  },
  {
    name: 'SESSION_IDLE',
    takes: 'duration from `5m` to `7d`, or `off`',
    value: 'off',
    about: 'a session that is not used for so long ends: 5m to 7d; seven days end it in any case',
  },
  {
    name: 'AUDIT_DAYS',
    takes: 'whole number of days, from 1',
    value: '400',
    about: 'how many days audit events are kept',
    more: 'See [Read the audit log](../how-to/operate-audit-log.md).',
  },
  {
    name: 'VERIFY_EMAIL',
    takes: '`off` or `required`',
    value: 'off',
    about: 'required: new users are INACTIVE, and new addresses wait, until a mail is answered',
  },
  { name: 'LOGIN_LINK', takes: '`off` or `on`', value: 'off', about: 'on: a link in a mail logs in' },
  {
    name: 'MFA',
    takes: '`off`, `required`, or roles, with commas',
    value: 'off',
    about: 'roles that need a second factor, with commas between them; or required, for all',
    more: 'Higher roles, and roles with all of their abilities, need it too. See [Require a second factor](../how-to/operate-second-factors.md).',
  },
  {
    name: 'PASSWORD_STRENGTH',
    takes: 'whole number, 1 to 4, or `off`',
    value: '',
    about: '1 to 4, what zxcvbn must give a new password; off unless set',
    more: 'Needs four packages: see [Require strong passwords](../how-to/operate-passwords.md).',
  },
  {
    name: 'PENDING_TIMEOUT',
    takes: 'duration in `s`, `m`, `h` or `d`',
    value: '',
    about: 'a record that waits for a payment is given up after this time, for example 48h; never unless set',
  },
]

export const mailVariables: readonly Variable[] = [
  {
    name: 'SMTP_URL',
    takes: '`smtp://user:password@host:587`, or `smtps://`',
    value: '',
    about: 'sends mails, smtp://user:password@host:587; without it they are files',
    more: 'See [Send mail](../how-to/operate-mail.md).',
    isSecret: true,
  },
  {
    name: 'MAIL_FROM',
    takes: 'address, with a name or without',
    value: 'no-reply@localhost',
    about: 'the sender of mails: Shop <no-reply@shop.example>',
  },
  {
    name: 'MAIL_LINKS',
    takes: 'URL',
    value: 'own pages',
    about: 'the beginning of links in mails: https://app.example',
  },
  {
    name: 'MAIL_TEXTS',
    takes: 'folder',
    value: './mail',
    about: 'folder of texts that replace those of the server',
  },
]

/** Undefined: the start generates a password for `admin@localhost`. Throws `StartError`. */
export function parseAdmin(env: Environment): FirstAdmin | undefined {
  const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = env
  if (!email && !password) return undefined
  if (!email || !password) fail(email ? 'ADMIN_PASSWORD' : 'ADMIN_EMAIL', 'is missing: the first operator needs both')
  if (!isEmail(email)) fail('ADMIN_EMAIL', 'must be an e-mail address')
  if (!isPasswordLength(password)) fail('ADMIN_PASSWORD', `must have ${passwordLength}`)
  return { email, password }
}

function parseSmtpUrl(text: string | undefined): string | undefined {
  if (!text) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  // The value contains a password, so it is not shown.
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '')
    fail('SMTP_URL', 'must look like smtp://user:password@mail.example:587, or smtps:// for TLS from the start')
  return text
}

/** An address that every mail server accepts as a single one: no quotes, lists or comments. */
const plainAddress = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+$/

function parseFrom(text: string | undefined): string | undefined {
  if (!text) return undefined
  const [, name = '', address = ''] = /^(?:([^<>"\p{C}]*?)\s*<([^<>]+)>)$/u.exec(text.trim()) ?? ['', '', text.trim()]
  if (!plainAddress.test(address))
    fail('MAIL_FROM', `must be an address, alone or with a name: Shop <no-reply@shop.example>; ${text} is none`)
  return name === '' ? address : `${name} <${address}>`
}

/** Without a trailing slash. */
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

/** The roles are checked when the application is known: `role-settings.ts`. */
function parseMfa({ MFA: text }: Environment): AccountSettings['mfa'] {
  if (text === undefined || text === '' || text === 'off') return undefined
  return text === 'required' ? text : text.split(',').map((one) => one.trim())
}

/** The part that declarations and documents depend on. */
export function parseAccountOptions(
  env: Environment,
): Pick<ServiceSettings, 'verifyEmail' | 'loginLink' | 'pendingSeconds'> {
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
