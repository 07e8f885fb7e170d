/** The mail settings of this service: texts, sender and transport, as configured. */
import { join } from 'node:path'
import { accountPagesPath } from '../../accounts/recovery/account-pages.ts'
import type { ServedEngine } from '../../accounts/served-engine.ts'
import type { Config } from '../../config.ts'
import type { EffectKind } from '../../effects/effect-kind.ts'
import type { Log } from '../../http/logs/log.ts'
import { limits } from '../../limits.ts'
import { type MailTexts, readMailTexts } from '../../mail/texts.ts'
import { makeFolderTransport, makeSmtpTransport } from '../../mail/transport.ts'
import { mailType } from '../../resource/parts/define-mail.ts'
import { isOwnMachine } from '../../settings/network-settings.ts'
import { makeDelivery, makeMailKind, type SentOutMail } from './mail-kind.ts'
import { ownMailKinds } from './own-mails.ts'
import { previewPath } from './preview-routes.ts'
import { wantedTexts } from './wanted-texts.ts'

/** The mails of a service; they can be sent once its address is known. */
export type MailService = {
  kinds(
    engine: Pick<ServedEngine, 'identity' | 'clock' | 'catalog' | 'settings'>,
    address: string,
  ): readonly EffectKind[]
  close(): void
}

type OpenMailDeps = {
  readonly log: Log
  readonly mailSent?: ((mail: SentOutMail) => void) | undefined
  /** Texts are read for each mail. */
  readonly isDeveloped?: boolean
}

/** Undefined in an application without mails. Throws `StartError`. */
export function openMail(
  { accounts, dataDir, host, publicUrl }: Config,
  { catalog }: Pick<ServedEngine, 'catalog'>,
  { log, mailSent, isDeveloped = false }: OpenMailDeps,
): MailService | undefined {
  const { outgoingMail, oneTimeToken } = catalog
  if (!outgoingMail && catalog.parts.of(mailType).length === 0) return undefined
  const { smtpUrl, links, texts: folder, from = 'no-reply@localhost' } = accounts.mail
  const atStart = outgoingMail && readMailTexts(folder, wantedTexts)
  // Files change while an application is written.
  const anew: MailTexts['write'] = (...mail) => readMailTexts(folder, wantedTexts).write(...mail)
  const texts = atStart && isDeveloped ? { write: anew } : atStart
  const files = join(dataDir, 'mail')
  const transport = smtpUrl
    ? makeSmtpTransport(smtpUrl)
    : makeFolderTransport(files, { filesMax: limits.mailFilesMax, report: log.warn })
  if (!smtpUrl) log.info(`SMTP_URL is not set: mails are files in ${files}`)
  return {
    close: () => transport.close(),
    kinds({ identity, clock, catalog, settings }, address) {
      const own = `${publicUrl ?? address}${accountPagesPath}`
      if (oneTimeToken && !links && !publicUrl && (smtpUrl || !isOwnMachine(host)))
        log.warn(`MAIL_LINKS is not set: links in mails lead to ${own}, which their readers may not reach`)
      if (isDeveloped) log.info(`All mails with example values: ${address}${previewPath}`)
      const { recovery } = identity
      const sender = from.replace(/^.*@|>$/g, '')
      const deliver = makeDelivery({ transport, from, clock, sent: mailSent })
      return [
        ...(texts ? [makeMailKind({ recovery, deliver, texts, host: sender, links: links ?? own, log })] : []),
        ...ownMailKinds(catalog, { settings, deliver, host: sender, isDeveloped }),
      ]
    },
  }
}
