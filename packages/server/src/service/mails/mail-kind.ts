/**
 * Mails as queued work: the text and its token are made when the mail is sent, so no request waits
 * for them.
 */
import { randomBytes } from 'node:crypto'
import type { SendableMail } from '../../accounts/recovery/account-mails.ts'
import { oneTimeTokenMs } from '../../accounts/recovery/one-time-tokens.ts'
import { mailKind, type QueuedMail } from '../../accounts/recovery/owner-mails.ts'
import type { Recovery } from '../../accounts/recovery/recovery.ts'
import type { Clock } from '../../base/clock.ts'
import { type Effect, type EffectKind, EffectRefused } from '../../effects/effect-kind.ts'
import type { Log } from '../../http/logs/log.ts'
import { limits } from '../../limits.ts'
import { isMailable, type MailMessage } from '../../mail/mail-message.ts'
import type { MailTexts } from '../../mail/texts.ts'
import { isFinal, type MailTransport } from '../../mail/transport.ts'
import { hasLink, type MailWithLink, mailNames, mailsOf, webhookMail } from '../../resource/accounts/mail-names.ts'
import { invitationDays } from '../../resource/tenancy/invitation-table.ts'

/** The path of the page behind each link. */
const pages: Readonly<Record<MailWithLink, string>> = {
  reset: 'reset',
  'log-in': 'log-in',
  verify: 'verify',
  'new-address': 'verify',
  'own-address': 'own-address',
  invite: 'invite',
}

/**
 * A random delay before a stored mail is sent. Without it, the work would show in the response time
 * of the request for the mail, or of the next one.
 */
export const mailStartsAfter = { leastMs: 60, mostMs: 160 }
const backoff = { firstMs: 30_000, factor: 2, mostMs: 3_600_000 }

/** A mail that is ready. `language`: that of its text. */
type DeliveredMail = Omit<MailMessage, 'from' | 'sentAtMs'> & { readonly language: string }
/** Hands one mail over; a log line names it by its letter alone. */
export type DeliverMail = (mail: DeliveredMail, letter: string) => Promise<void>

/** A mail that a mail server has taken. `name`: `orderShipped`, or `reset` of accounts. */
export type SentOutMail = Omit<DeliveredMail, 'id'> & { readonly name: string }

export type DeliveryDeps = {
  readonly transport: MailTransport
  readonly from: string
  readonly clock: Clock
  /** Told of each mail, for tests. */
  readonly sent?: ((mail: SentOutMail) => void) | undefined
}

/** Throws what makes another try worth it, or `EffectRefused`. */
export function makeDelivery({ transport, from, clock, sent }: DeliveryDeps): DeliverMail {
  return async ({ language, ...mail }, letter) => {
    if (!isMailable(mail.to)) throw new EffectRefused('No mail server takes its address')
    try {
      await transport.send({ ...mail, from, sentAtMs: clock() })
    } catch (error) {
      throw isFinal(error) ? new EffectRefused('The mail server refuses it', { cause: error }) : error
    }
    if (sent) {
      const { id: _, ...words } = mail
      sent({ name: letter, language, ...words })
    }
  }
}

export type MailKindDeps = {
  readonly recovery: Recovery | undefined
  readonly deliver: DeliverMail
  readonly texts: Pick<MailTexts, 'write'>
  /** The part of addresses after `@`. */
  readonly host: string
  /** The start of links, without a slash at its end. */
  readonly links: string
  readonly log: Pick<Log, 'warn'>
}

/** The values for the blanks of a letter; each letter has one subject with a name of its own. */
function blanksOf({ letter, token, detail }: SendableMail, links: string): Parameters<MailTexts['write']>[2] {
  const link = hasLink(letter) && token !== undefined ? `${links}/${pages[letter]}?token=${token}` : undefined
  const about = detail ?? undefined
  const blanks = {
    link,
    address: about,
    tenant: about,
    endpoint: about,
    keys: about ?? '0',
    minutes: oneTimeTokenMs / 60_000,
    days: invitationDays,
  }
  return blanks as Parameters<MailTexts['write']>[2]
}

function makeSend({ recovery, deliver, texts, host, links, log }: MailKindDeps) {
  const known: readonly string[] = recovery ? mailNames : [...mailsOf({ hasTokens: false }), webhookMail]

  return async ({ number, id, tries, payload }: Effect): Promise<void> => {
    const waiting = payload as QueuedMail
    // Another version stored it: this one cannot send it.
    if (!known.includes(waiting.letter)) throw new EffectRefused(`Its letter is none of ${known.join(', ')}`)
    const ready = recovery
      ? await recovery.prepare({ place: { number, id }, letter: waiting, isFirstTry: tries === 1 })
      : { ...waiting, token: undefined }
    if (!ready) return
    if (ready === 'too-many')
      return log.warn('A mail was not sent: too many invitations to one address, or from one', {
        letter: waiting.letter,
      })
    const { letter, recipient, languages } = ready
    const words = texts.write(letter, languages, blanksOf(ready, links))
    // A failed attempt drops its token, so the next one is another mail, which no server may take
    // for a repeat
    const messageId = `${randomBytes(16).toString('hex')}@${host}`
    try {
      await deliver({ to: recipient, ...words, id: messageId }, letter)
    } catch (error) {
      await recovery?.withdraw(ready)
      throw error
    }
  }
}

/** Everything that all kinds of mails share. */
export const mailKindFacts = {
  inOrder: false,
  atOnce: limits.mailsAtOnce,
  triesMax: limits.mailTriesMax,
  timeoutMs: limits.mailMsMax,
  backoff,
  givenUpMax: limits.mailsGivenUpMax,
  words: {
    again: 'A mail was not sent, and is tried again',
    givenUp: 'A mail was not sent, and is given up',
  },
} as const satisfies Partial<EffectKind>

export function makeMailKind(parts: MailKindDeps): EffectKind {
  return {
    ...mailKindFacts,
    name: mailKind,
    run: makeSend(parts),
    startsAfter: mailStartsAfter,
    // The log has no address. The reason may quote the mail server.
    facts: (payload) => ({ letter: (payload as QueuedMail).letter }),
  }
}
