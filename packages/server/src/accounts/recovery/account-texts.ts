/**
 * The texts of the pages for links in mails, in English and German. They name no field of the API,
 * because they are for people.
 */
import { passwordBytes } from '../../resource/fields/secret.ts'

export type PageName = 'reset' | 'verify' | 'log-in' | 'own-address' | 'invite'
type Language = 'en' | 'de'

/** The texts of a page's script for each outcome. */
type OutcomeTexts = Readonly<
  Record<
    | 'done'
    | 'incomplete'
    | 'failed'
    | 'used'
    | 'sent'
    | 'often'
    | 'taken'
    | 'logIn'
    | 'choose'
    | 'due'
    | 'enrol'
    | 'wrongProof'
    | 'late'
    | 'common'
    | 'own'
    | 'weak'
    | 'length'
    | 'refused',
    string
  >
>
type OwnTexts = {
  readonly title: string
  readonly about: string
  readonly button: string
  readonly renewAbout?: string
}
type SharedTexts = Readonly<
  Record<'password' | 'script' | 'code' | 'passkey' | 'email' | 'renew' | 'send', string> & {
    said: Omit<OutcomeTexts, 'done'>
  }
>
type OwnOutcomeTexts = Partial<OutcomeTexts> & Pick<OutcomeTexts, 'done'>
export type PageText = OwnTexts & Omit<SharedTexts, 'said'> & { readonly said: OutcomeTexts }

const { min, max } = passwordBytes

const shared: Readonly<Record<Language, SharedTexts>> = {
  en: {
    password: 'New password',
    script: 'This page needs JavaScript.',
    code: 'Code of your authenticator app, or a recovery code',
    passkey: 'Use a passkey',
    email: 'E-mail address',
    renew: 'Get a new mail',
    send: 'Send a new mail',
    said: {
      incomplete: 'This link is incomplete: open it again from the mail, or get a new one.',
      failed: 'That did not work. Try again later.',
      used: 'This link is used or expired, or a newer mail has another one.',
      sent: 'Where an account belongs to that address, a new mail is on its way.',
      often: 'That was tried too often. Try again later.',
      taken: 'Another account has this address by now.',
      logIn: 'Log in with this browser, to the account that the mail is about. Then open the link again.',
      choose: 'Choose a password: with it and this address you log in from now on.',
      due: 'One more step: your second factor.',
      enrol: 'This account must get a second factor first. Set it up where you usually log in.',
      wrongProof: 'That is not right. Try again.',
      late: 'That took too long.',
      common: 'This password is one of the commonest; choose another.',
      own: 'Your own address or name is no password; choose another.',
      weak: 'This password is too easy to guess.',
      length: `The password must have ${min} to ${max} characters; some count as two to four.`,
      refused: 'This password cannot be used; choose another.',
    },
  },
  de: {
    password: 'Neues Passwort',
    script: 'Diese Seite braucht JavaScript.',
    code: 'Code Ihrer Authenticator-App oder ein Wiederherstellungscode',
    passkey: 'Passkey benutzen',
    email: 'E-Mail-Adresse',
    renew: 'Eine neue Mail anfordern',
    send: 'Neue Mail senden',
    said: {
      incomplete:
        'Dieser Link ist unvollständig: Öffnen Sie ihn noch einmal aus der Mail oder fordern Sie eine neue an.',
      failed: 'Das hat nicht geklappt. Versuchen Sie es später noch einmal.',
      used: 'Dieser Link ist benutzt oder abgelaufen, oder eine neuere Mail hat einen anderen.',
      sent: 'Wenn zu dieser Adresse ein Konto gehört, ist eine neue Mail unterwegs.',
      often: 'Das wurde zu oft versucht. Versuchen Sie es später noch einmal.',
      taken: 'Diese Adresse gehört inzwischen zu einem anderen Konto.',
      logIn:
        'Melden Sie sich mit diesem Browser im Konto an, um das es in der Mail geht. Öffnen Sie den Link dann noch einmal.',
      choose: 'Wählen Sie ein Passwort: Damit und mit dieser Adresse melden Sie sich künftig an.',
      due: 'Noch ein Schritt: Ihr zweiter Faktor.',
      enrol: 'Dieses Konto braucht erst einen zweiten Faktor. Richten Sie ihn ein, wo Sie sich sonst anmelden.',
      wrongProof: 'Das stimmt nicht. Versuchen Sie es noch einmal.',
      late: 'Das hat zu lange gedauert.',
      common: 'Dieses Passwort ist eines der häufigsten. Wählen Sie ein anderes.',
      own: 'Die eigene Adresse oder der eigene Name ist kein Passwort. Wählen Sie ein anderes.',
      weak: 'Dieses Passwort ist zu leicht zu erraten. Ein oder zwei Wörter mehr helfen.',
      length: `Das Passwort muss ${min} bis ${max} Zeichen haben; manche zählen zwei- bis vierfach.`,
      refused: 'Dieses Passwort geht nicht. Wählen Sie ein anderes.',
    },
  },
}

const own: Readonly<Record<PageName, Readonly<Record<Language, OwnTexts & { readonly said: OwnOutcomeTexts }>>>> = {
  reset: {
    en: {
      title: 'Choose a new password',
      about: `At least ${min} characters. All sessions of the account end.`,
      button: 'Save',
      said: { done: 'The password is changed. You can log in with it now.' },
    },
    de: {
      title: 'Ein neues Passwort wählen',
      about: `Mindestens ${min} Zeichen. Alle Sitzungen des Kontos enden.`,
      button: 'Speichern',
      said: { done: 'Das Passwort ist geändert. Sie können sich jetzt damit anmelden.' },
    },
  },
  verify: {
    en: {
      title: 'Confirm your e-mail address',
      about: 'Confirm that the address that the mail came to is yours.',
      button: 'Confirm',
      said: { done: 'The address is confirmed.' },
      renewAbout: 'This is for a new account. To give an account another address, change it there once more.',
    },
    de: {
      title: 'E-Mail-Adresse bestätigen',
      about: 'Bestätigen Sie, dass Ihnen die Adresse gehört, an die unsere Mail ging.',
      button: 'Bestätigen',
      said: { done: 'Die Adresse ist bestätigt.' },
      renewAbout:
        'Das gilt für ein neues Konto. Hat ein Konto eine andere Adresse bekommen, ändern Sie die Adresse dort noch einmal.',
    },
  },
  'own-address': {
    en: {
      title: 'Confirm the address of your account',
      about: 'You have to be logged in with this browser. Nothing else in the account changes.',
      button: 'Confirm',
      said: {
        done: 'The address is confirmed.',
        used: 'This link is used or expired, or for another account.',
        sent: 'A new mail is on its way.',
      },
    },
    de: {
      title: 'Die Adresse Ihres Kontos bestätigen',
      about: 'Dazu müssen Sie mit diesem Browser angemeldet sein. Sonst ändert sich im Konto nichts.',
      button: 'Bestätigen',
      said: {
        done: 'Die Adresse ist bestätigt.',
        used: 'Dieser Link ist benutzt oder abgelaufen oder für ein anderes Konto.',
        sent: 'Eine neue Mail ist unterwegs.',
      },
    },
  },
  invite: {
    en: {
      title: 'Accept the invitation',
      about: 'You become a member with the address that the mail came to.',
      button: 'Accept',
      said: { done: 'The invitation is accepted.', used: 'This invitation is used, expired or withdrawn.' },
    },
    de: {
      title: 'Die Einladung annehmen',
      about: 'Sie werden Mitglied mit der Adresse, an die unsere Mail ging.',
      button: 'Annehmen',
      said: {
        done: 'Die Einladung ist angenommen.',
        used: 'Diese Einladung ist benutzt, abgelaufen oder zurückgezogen.',
      },
    },
  },
  'log-in': {
    en: { title: 'Log in', about: 'Log in on this device.', button: 'Log in', said: { done: 'You are logged in.' } },
    de: {
      title: 'Anmelden',
      about: 'Melden Sie sich auf diesem Gerät an.',
      button: 'Anmelden',
      said: { done: 'Sie sind angemeldet.' },
    },
  },
}

export function isAccountLanguage(language: string): language is Language {
  return Object.hasOwn(shared, language)
}

export function accountText(name: PageName, language: Language): PageText {
  const [common, one] = [shared[language], own[name][language]]
  return { ...common, ...one, said: { ...common.said, ...one.said } }
}
