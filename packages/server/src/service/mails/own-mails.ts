/**
 * Mails of the application as queued work: each mail is a kind, so a newsletter delays no link to
 * log in. They have the transport and the retries of the mails of accounts.
 */
import type { EffectKind } from '../../effects/effect-kind.ts'
import { fillMail } from '../../mail/fill-mail.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { type DeclaredMail, mailType } from '../../resource/parts/define-mail.ts'
import { readMailFiles } from '../../resource/parts/mail-files.ts'
import { mailKindName, type WaitingMail } from '../../resource/parts/waiting-mail.ts'
import type { ServiceSettings } from '../../resource/rule.ts'
import { type DeliverMail, mailKindFacts } from './mail-kind.ts'

type OwnMailDeps = {
  readonly settings: ServiceSettings
  readonly deliver: DeliverMail
  /** The part of addresses after `@`. */
  readonly host: string
  /** Texts are read for each mail: they change while the server runs. */
  readonly isDeveloped: boolean
}

function kindOf(mail: DeclaredMail, { settings: { currency }, deliver, host, isDeveloped }: OwnMailDeps): EffectKind {
  return {
    ...mailKindFacts,
    name: mailKindName(mail.partName),
    async run({ id, payload }) {
      const { recipient, languages, values: waiting } = payload as WaitingMail
      const { texts } = isDeveloped ? readMailFiles(mail) : mail.readMail()
      const words = fillMail(mail, { texts, waiting, languages, currency })
      // The same at each try: a mail server may know a repeat by it.
      await deliver({ ...words, to: recipient, id: `${id}@${host}` }, mail.partName)
    },
    facts: () => ({ letter: mail.partName }),
  }
}

export function ownMailKinds({ parts }: Catalog, deps: OwnMailDeps): readonly EffectKind[] {
  return parts.of(mailType).map((mail) => kindOf(mail, deps))
}
