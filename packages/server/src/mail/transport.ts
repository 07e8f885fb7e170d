/** Sends mails: to a mail server, or as files into a folder for development and tests. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkInstalled, loadOnce, type OptionalPackage } from '../base/optional-package.ts'
import { restrictToOwner } from '../base/owner-only.ts'
import { StartError } from '../errors.ts'
import { type MailMessage, printMessage, senderOf } from './mail-message.ts'

export type MailTransport = {
  /** Resolves when another server is responsible for the mail. Throws when it was not sent. */
  send(message: MailMessage): Promise<void>
  close(): void
}

/** Of nodemailer: the server answered to the addresses of the mail, or to its content. */
const aboutTheMail: readonly unknown[] = ['EENVELOPE', 'EMESSAGE']

/**
 * Whether the mail will never be taken, so that trying again is of no use (RFC 5321, section
 * 4.2.1). A server that refuses the log-in has refused no mail: an operator can correct that.
 */
export function isFinal(error: unknown): boolean {
  const { code, responseCode = 0 } = error as { code?: unknown; responseCode?: number }
  return aboutTheMail.includes(code) && responseCode >= 500 && responseCode < 600
}

type FolderTransportOptions = { readonly filesMax: number; readonly report: (message: string) => void }

/**
 * Files of their owner alone, the oldest of which go when there are more than `filesMax`. Throws
 * `StartError`.
 */
export function makeFolderTransport(folder: string, { filesMax, report }: FolderTransportOptions): MailTransport {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StartError(`Cannot make ${folder}: ${(error as Error).message}`)
  }
  // Links in mails open accounts, so the folder is private whatever the modes of its files are.
  restrictToOwner(folder, report)
  return {
    async send(message) {
      const time = new Date(message.sentAtMs).toISOString().replaceAll(':', '-')
      const name = `${time}-${randomBytes(4).toString('hex')}.eml`
      // A program that watches the folder sees whole files.
      await writeFile(join(folder, `.${name}`), printMessage(message), { mode: 0o600, flag: 'wx' })
      await rename(join(folder, `.${name}`), join(folder, name))
      const files = readdirSync(folder).filter((one) => one.endsWith('.eml') && !one.startsWith('.'))
      for (const old of files.toSorted().slice(0, -filesMax)) await rm(join(folder, old), { force: true })
    },
    close: () => undefined,
  }
}

const mailer = { name: 'nodemailer' } satisfies OptionalPackage
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000, dnsTimeout: 10_000 }

/** A server that speaks SMTP. Throws `StartError` where the package for it is missing. */
export function makeSmtpTransport(url: string): MailTransport {
  checkInstalled(mailer, 'SMTP_URL')
  const open = loadOnce(async () => {
    const { default: nodemailer } = await import('nodemailer')
    return nodemailer.createTransport({ url, pool: true, maxConnections: 2, ...timeouts } as object)
  })
  let opened = false
  return {
    async send({ from, to, subject, text, html, sentAtMs, id }) {
      opened = true
      const transport = await open()
      await transport.sendMail({
        from: senderOf(from),
        to: { name: '', address: to },
        subject,
        text,
        html,
        date: new Date(sentAtMs),
        messageId: `<${id}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
        disableFileAccess: true,
        disableUrlAccess: true,
      })
    },
    close: () => {
      if (opened) void open().then((transport) => transport.close())
    },
  }
}
