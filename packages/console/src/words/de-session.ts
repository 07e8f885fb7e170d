/** The words of the log-in and of the account in German. */
import type { englishOfSessions } from './en-session.ts'

export const germanOfSessions: Readonly<Record<keyof typeof englishOfSessions, string>> = {
  // Anmelden
  otherPerson: 'In diesem Browser hat sich jemand anders angemeldet. Bitte neu anmelden: die Eingaben sind noch da.',
  logOutLost:
    'Nur hier abgemeldet: der Server hat nicht geantwortet. Neu an- und abmelden beendet die Sitzung auch dort.',
  secondStep: 'Noch ein Schritt: der zweite Faktor.',
  codeOfApp: 'Code der Authenticator-App oder ein Wiederherstellungscode',
  codeAlone: 'Code der App',
  recoveryCode: 'Wiederherstellungscode',
  goOn: 'Weiter',
  startAgain: 'Von vorn',
  usePasskey: 'Passkey verwenden',
  noPasskey: 'Der Browser hat keinen Passkey geliefert',
  wrongProof: 'Das stimmt nicht. Bitte noch einmal versuchen.',
  tookLong: 'Das hat zu lange gedauert: bitte neu anmelden',
  logInBy: 'Anmelden mit {provider}',
  mailLink: 'Anmelden per Mail',
  mailLinkHow: 'Eine Mail bringt einen Link zum Anmelden. Bitte in diesem Browser öffnen.',
  forgotten: 'Passwort vergessen?',
  forgottenHow: 'Eine Mail bringt einen Link, um ein neues Passwort zu wählen. Danach hier damit anmelden.',
  sendMail: 'Mail senden',
  mailSent: 'Wenn es ein Konto für {email} gibt, ist eine Mail dorthin unterwegs.',
  mustEnrol: 'Diese Rolle braucht einen zweiten Faktor, und es gibt noch keinen. Bitte einen wählen:',
  enrolApp: 'Authenticator-App',
  enrolPasskey: 'Passkey dieses Geräts',
  addKey: 'Mit der Authenticator-App scannen oder den Schlüssel in sie eintragen. Dann ihren Code eingeben:',
  qrCode: 'Der Schlüssel als QR-Code',
  openApp: 'In einer App auf diesem Gerät öffnen',
  keepCodes:
    'Diese Wiederherstellungscodes aufbewahren: jeder ersetzt einmal den zweiten Faktor. Sie werden nur jetzt gezeigt.',
  codesKept: 'Ich habe sie aufbewahrt',
  mustLink:
    'Es gibt ein Konto mit dieser E-Mail-Adresse. Einmal dort anmelden, dann gehört die Anmeldung des Anbieters dazu.',
  // Das Konto
  factors: 'Zweite Faktoren',
  noFactors: 'Dieser Dienst hat keine zweiten Faktoren.',
  passwordNow: 'Das Passwort, um eine Änderung zu bestätigen',
  addApp: 'Authenticator-App hinzufügen',
  addPasskey: 'Passkey hinzufügen',
  newCodes: 'Neue Wiederherstellungscodes',
  passwordPresent: 'Bisheriges Passwort',
  passwordNew: 'Neues Passwort',
  passwordAgain: 'Neues Passwort, noch einmal',
  changePassword: 'Passwort ändern',
  passwordChanged: 'Das Passwort ist geändert. Alle anderen Sitzungen sind beendet.',
  passwordsDiffer: 'Das neue Passwort ist nicht zweimal gleich eingegeben.',
  passwordMissing: 'Bitte das Passwort eingeben, um die Änderung zu bestätigen.',
  passwordWrong: 'Das ist nicht das Passwort.',
}
