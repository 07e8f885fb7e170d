/**
 * One mail: its sender, recipient, subject and text. The text is plain, so no value in it can
 * become markup. A mail of an application may have HTML beside it.
 */

export type MailMessage = {
  /** `Shop <no-reply@shop.example>`, or an address alone. */
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
  /** The same as HTML. */
  readonly html?: string
  readonly sentAtMs: number
  /** Unique, as in `Message-ID` (RFC 5322, section 3.6.4), without its brackets. */
  readonly id: string
}

/**
 * Characters that are invisible or that change the order of the visible ones. Line ends are among
 * them.
 */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** Text of a stranger in a line of a mail: `a\u202Eb` → `a\u{202E}b`, visibly. */
export function asMailText(text: string): string {
  return text.replace(invisible, (one) => `\\u{${one.codePointAt(0)?.toString(16).toUpperCase()}}`)
}

/**
 * Whether every mail server takes the text as one address (RFC 5321, section 4.1.2). Quoted local
 * parts, comments, lists and groups are left out: what one program reads as an address, the next
 * one reads as two.
 */
export function isMailable(address: string): boolean {
  return address.length <= 254 && /^[^\s@<>()[\]\\,;:"\p{C}]+@[^\s@<>()[\]\\,;:"\p{C}]+$/u.test(address)
}

/**
 * Words of a header beyond ASCII, by RFC 2047: each encoded word holds whole characters, and at
 * most 75 of ASCII.
 */
function encodedWords(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  const words: string[] = []
  let bytes = ''
  for (const character of text) {
    if (Buffer.byteLength(bytes + character) > 42) {
      words.push(bytes)
      bytes = ''
    }
    bytes += character
  }
  return [...words, bytes].map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join('\r\n ')
}

/** `Shop <no-reply@shop.example>` → its parts; the name of an address alone is empty. */
export function senderOf(from: string): { readonly name: string; readonly address: string } {
  const [, name = '', address = from] = /^(.*) <(.*)>$/.exec(from) ?? []
  return { name, address }
}

/** Words that a header takes as they are (RFC 5322, section 3.2.3). */
const atoms = /^[A-Za-z0-9 !#$%&'*+/=?^_`{|}~-]*$/

/**
 * The name beside an address, as its header has it. Within quotation marks a comma separates
 * nothing.
 */
function encodedFrom(from: string): string {
  const { name, address } = senderOf(from)
  if (name === '') return address
  const words = encodedWords(name)
  const isPlain = words !== name || atoms.test(name)
  return `${isPlain ? words : `"${name.replaceAll('\\', '\\\\')}"`} <${address}>`
}

const readable = (type: string) => [`Content-Type: text/${type}; charset=utf-8`, 'Content-Transfer-Encoding: 8bit']

/** Text and HTML as two forms of one content (RFC 2046, section 5.1.4). */
function bothForms({ text, html = '', id }: MailMessage): { readonly head: readonly string[]; readonly body: string } {
  const boundary = `=_${id.replace(/[^A-Za-z0-9]/g, '').slice(0, 60)}`
  const part = (type: string, content: string) => `--${boundary}\n${readable(type).join('\n')}\n\n${content}\n`
  return {
    head: [`Content-Type: multipart/alternative; boundary="${boundary}"`],
    body: `${part('plain', text)}${part('html', html)}--${boundary}--\n`,
  }
}

/** The mail as a file (RFC 5322), readable as it is: the text is not encoded. */
export function printMessage(message: MailMessage): string {
  const { from, to, subject, text, html, sentAtMs, id } = message
  const content = html === undefined ? { head: readable('plain'), body: text } : bothForms(message)
  const head = [
    `From: ${encodedFrom(from)}`,
    `To: ${to}`,
    `Subject: ${encodedWords(subject)}`,
    `Date: ${new Date(sentAtMs).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${id}>`,
    'MIME-Version: 1.0',
    ...content.head,
    'Auto-Submitted: auto-generated',
  ]
  return `${head.join('\r\n')}\r\n\r\n${content.body.replace(/\r?\n/g, '\r\n')}`
}
