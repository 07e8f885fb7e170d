/** All mails of an application and its accounts with example values, for `bindery dev`. */
import { StartError } from '../../errors.ts'
import { fillMail } from '../../mail/fill-mail.ts'
import { readMailTexts, type TextValues } from '../../mail/texts.ts'
import { mailsOf } from '../../resource/accounts/mail-names.ts'
import type { Catalog } from '../../resource/catalog.ts'
import type { Field, Fields } from '../../resource/fields/field.ts'
import { type DeclaredMail, mailType } from '../../resource/parts/define-mail.ts'
import { readMailFiles } from '../../resource/parts/mail-files.ts'
import { waitingValues } from '../../resource/parts/mail-values.ts'
import type { ServiceSettings } from '../../resource/rule.ts'
import { exampleOf } from '../../resource/words/example.ts'
import { wantedTexts } from './wanted-texts.ts'

export type PreviewedMail = {
  readonly name: string
  readonly language: string
  readonly subject: string
  readonly text: string
  readonly html?: string
}
export type PreviewedMails = {
  readonly mails: readonly PreviewedMail[]
  /** `mails/order-shipped.en.txt:3: …` */
  readonly mistakes: readonly string[]
}

type PreviewDeps = {
  readonly catalog: Pick<Catalog, 'parts' | 'outgoingMail' | 'oneTimeToken'>
  readonly settings: Pick<ServiceSettings, 'currency'>
  /** MAIL_TEXTS */
  readonly folder: string | undefined
}

const blanks: Required<TextValues> = {
  link: 'https://app.example/page?token=example',
  address: 'ada@example.com',
  tenant: 'Analytical Engines',
  keys: '2',
  endpoint: 'https://example.com/hooks (no delivery has arrived for 5 days)',
  minutes: 60,
  days: 7,
}

/** Undefined where a field has no example that it takes. */
function exampleValue(name: string, field: Field): unknown {
  try {
    return field.type.check(exampleOf(name, field), name, field)
  } catch {
    return undefined
  }
}

function examplesOf(fields: Fields): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, exampleValue(name, field)]))
}

function previewOwn(mail: DeclaredMail, { settings: { currency } }: PreviewDeps): PreviewedMails {
  const { texts, mistakes } = readMailFiles(mail)
  const waiting = waitingValues(mail.mail.values, examplesOf(mail.mail.values))
  return {
    mails: [...texts.keys()].map((language) => ({
      name: mail.partName,
      ...fillMail(mail, { texts, waiting, languages: language, currency }),
    })),
    mistakes: mistakes.map(({ where, problem }) =>
      /\.(?:txt|html)(?::\d+)?$/.test(where) ? `${where}: ${problem}` : `${mail.writtenAt}: ${where}: ${problem}`,
    ),
  }
}

function previewAccounts({ catalog, folder }: PreviewDeps): PreviewedMails {
  if (!catalog.outgoingMail) return { mails: [], mistakes: [] }
  try {
    const texts = readMailTexts(folder, wantedTexts)
    const mails = mailsOf({ hasTokens: catalog.oneTimeToken !== undefined }).flatMap((name) =>
      texts.languages(name).map((language) => ({ name, ...texts.write(name, language, blanks) })),
    )
    return { mails, mistakes: [] }
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return { mails: [], mistakes: [error.message] }
  }
}

/** Reads all files anew. */
export function previewMails(deps: PreviewDeps): PreviewedMails {
  const all = [...deps.catalog.parts.of(mailType).map((mail) => previewOne(mail, deps)), previewAccounts(deps)]
  return { mails: all.flatMap(({ mails }) => mails), mistakes: all.flatMap(({ mistakes }) => mistakes) }
}

/** Values without an example leave a mail that is not shown, with the reason. */
function previewOne(mail: DeclaredMail, deps: PreviewDeps): PreviewedMails {
  try {
    return previewOwn(mail, deps)
  } catch (error) {
    return { mails: [], mistakes: [`${mail.writtenAt}: ${(error as Error).message}`] }
  }
}
