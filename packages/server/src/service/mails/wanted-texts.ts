/** The values that the text of each mail of accounts may mention, and whether it needs its link. */
import type { TextRequirements, TextValues } from '../../mail/texts.ts'
import { hasLink, type MailName, mailNames } from '../../resource/accounts/mail-names.ts'

/** Values that the text of a letter may mention, besides its link and how long that works. */
const details: Readonly<Partial<Record<MailName, keyof TextValues>>> = {
  'new-address': 'address',
  'address-asked': 'address',
  'address-changed': 'address',
  'password-changed': 'keys',
  'address-proven': 'keys',
  invite: 'tenant',
  'webhook-off': 'endpoint',
}

/** The value with how long a link works. */
function lifetimeOf(letter: MailName): 'days' | 'minutes' {
  return letter === 'invite' ? 'days' : 'minutes'
}

export const wantedTexts: TextRequirements = Object.fromEntries(
  mailNames.map((letter) => {
    const needsLink = hasLink(letter)
    const detail = details[letter]
    return [
      letter,
      {
        blanks: [...(needsLink ? (['link', lifetimeOf(letter)] as const) : []), ...(detail ? [detail] : [])],
        needsLink,
      },
    ]
  }),
)
