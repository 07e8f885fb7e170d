/**
 * The server's sentences in German. The server writes English. Common problems of fields and common
 * refusals have words here; any other sentence stands behind the word of its status, as it is.
 */

type German = readonly [english: RegExp, german: string]

/** `$1`: the names of the fields, `$2`: the limit. */
const sentences: readonly German[] = [
  [/^(.+) is required$/, '$1 fehlt'],
  [/^(.+) are required$/, '$1 fehlen'],
  [/^(.+) must not be null$/, '$1 darf nicht leer sein'],
  [/^(.+) must be at most (\d+) characters$/, '$1 darf höchstens $2 Zeichen haben'],
  [/^(.+) must be at least (\S+)$/, '$1 muss mindestens $2 sein'],
  [/^(.+) must be at most (\S+)$/, '$1 darf höchstens $2 sein'],
  [/^(.+) must be from (\S+) to (\S+)$/, '$1 muss zwischen $2 und $3 liegen'],
  [/^(.+) must be (\S+) or later$/, '$1 darf nicht vor $2 liegen'],
  [/^(.+) must be (\S+) or earlier$/, '$1 darf nicht nach $2 liegen'],
  [/^(.+) must be one of (.+)$/, '$1 muss eines davon sein: $2'],
  [/^(.+) must be a number$/, '$1 muss eine Zahl sein'],
  [/^(.+) must be an integer$/, '$1 muss eine ganze Zahl sein'],
  [/^(.+) must have at most two decimals$/, '$1 darf höchstens zwei Nachkommastellen haben'],
  [/^(.+) must be an email address$/, '$1 muss eine E-Mail-Adresse sein'],
  [/^(.+) must be an id$/, '$1 muss eine ID sein'],
  [/^(.+) is already taken$/, '$1 ist schon vergeben'],
  [/^(.+) is read-only$/, '$1 kann nicht geändert werden'],
  [/^(.+) refers to no (.+) that exists$/, '$1 verweist auf etwas, das es nicht gibt ($2)'],
  [/^(.+) must have (\d+) to (\d+) bytes$/, '$1 muss $2 bis $3 Bytes lang sein'],
  [
    /^(.+) is one of the commonest passwords; choose another$/,
    '$1 ist eines der häufigsten Passwörter: bitte ein anderes',
  ],
]

const statuses: Readonly<Record<number, string>> = {
  400: 'Der Server nimmt das so nicht an',
  401: 'Die Anmeldung fehlt oder gilt nicht mehr',
  403: 'Das ist nicht erlaubt',
  404: 'Das gibt es nicht, oder es ist hier nicht zu sehen',
  409: 'Das widerspricht dem, was gespeichert ist',
  412: 'Der Eintrag wurde inzwischen geändert',
  413: 'Das ist zu groß',
  429: 'Zu viele Anfragen, bitte kurz warten',
  500: 'Im Server ist ein Fehler aufgetreten',
  503: 'Der Server ist gerade nicht bereit',
}

/** They say no more than their status. */
const bare =
  /^(Forbidden|Insufficient permissions|Not found|Unauthorized|Internal server error|Too many requests|Service unavailable)$/

/** `status`: of the response; a problem of a field has none of its own. */
export function germanSentence(message: string, status: number | undefined): string {
  for (const [english, german] of sentences)
    if (english.test(message)) return message.replace(english, german).replaceAll(' and ', ' und ')
  const said = status === undefined ? undefined : statuses[status]
  if (said === undefined) return message
  return bare.test(message) ? said : `${said}: „${message}“`
}
