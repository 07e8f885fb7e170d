/**
 * Texts of mails. An application's own replace ours, and mistakes in them stop the start. A sign-up
 * cannot put text other than an address into a mail.
 */
import assert from 'node:assert/strict'
import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { languagesOf } from '../../src/base/languages.ts'
import { readConfig } from '../../src/config.ts'
import { asMailText, isMailable, printMessage } from '../../src/mail/mail-message.ts'
import { removeFolder, startService, temporaryFolder } from '../../src/testing/index.ts'
import { until } from '../helpers/until.ts'
import { members, withMails } from './people.ts'

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder()
  after(() => removeFolder(folder))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

describe('texts', () => {
  it('of the application take the place of the own ones, and add languages', async () => {
    const MAIL_TEXTS = folderWith({
      'reset.en.txt': 'Subject: Ours\n\nGo to {{link}}\n',
      'reset.fr.txt': 'Subject: Les nôtres\n\nAllez à {{link}}\n',
      'notes.md': 'not a text',
    })
    const service = await startService(withMails, { env: { MAIL_TEXTS } })
    after(() => service.stop())
    const mails = join(service.folder, 'mail')
    const languages = ['en', 'fr-CA', 'de', 'tlh']
    for (const [i, language] of languages.entries()) {
      const body = { email: `p${i}@example.com`, password: 'correct horse' }
      assert.equal((await service.ask('POST', '/api/v1/members', { body })).status, 201)
      const headers = { 'accept-language': language }
      assert.equal((await service.ask('POST', '/auth/forgot', { body: { email: body.email }, headers })).status, 202)
    }
    // The first mail makes the folder. Files with a dot in front are still written.
    const whole = () => globSync('[!.]*', { cwd: mails })
    await until(() => whole().length >= 4, 'four mails')
    const sources = whole().map((name) => readFileSync(join(mails, name), 'utf8'))
    const textOf = (i: number) =>
      sources.find((one) => one.includes(`To: p${i}@example.com`))?.split('\r\n\r\n')[1] ?? ''
    assert.match(textOf(0), /^Go to http/)
    assert.match(textOf(1), /^Allez à http/)
    assert.match(textOf(2), /^Jemand/)
    assert.match(textOf(3), /^Go to/)
  })

  for (const [what, name, text, says] of [
    ['no mail', 'rest.en.txt', 'Subject: A\n\n{{link}}', /rest\.en\.txt: is the text of no mail; there are reset,/],
    ['no subject', 'reset.en.txt', 'Hello\n\n{{link}}', /begins with a line "Subject: …" and an empty one/],
    [
      'an unknown blank',
      'reset.en.txt',
      'Subject: A\n\n{{link}} {{nmae}}',
      /\{\{nmae\}\} is nothing that this mail knows/,
    ],
    ['no link', 'verify.de.txt', 'Subject: A\n\nHallo', /has no \{\{link\}\}/],
  ] as const)
    it(`that are wrong stop the start: ${what}`, async () => {
      const env = { MAIL_TEXTS: folderWith({ [name]: text }) }
      await assert.rejects(startService(withMails, { env }), says)
    })
})

describe('settings', () => {
  for (const [name, value, says] of [
    ['SMTP_URL', 'http://mail', /^SMTP_URL must look like smtp:/],
    ['SMTP_URL', 'secret', /^SMTP_URL (?!.*secret)/],
    ['MAIL_FROM', 'Shop', /^MAIL_FROM must be an address/],
    ['MAIL_FROM', 'A\r\nBcc: x <a@b.example>', /^MAIL_FROM must be an address/],
    ['MAIL_LINKS', 'app.example', /^MAIL_LINKS must be the beginning of addresses/],
    ['MAIL_TEXTS', '/nowhere/at/all', /^MAIL_TEXTS names a folder that is not there/],
    ['VERIFY_EMAIL', 'on', /^VERIFY_EMAIL must be one of off, required/],
    ['LOGIN_LINK', 'yes', /^LOGIN_LINK must be one of off, on/],
    ['PASSWORD_STRENGTH', '5', /^PASSWORD_STRENGTH must be one of/],
    ['PENDING_TIMEOUT', '2 days', /^PENDING_TIMEOUT must look like 48h/],
  ] as const)
    it(`${name}=${JSON.stringify(value)} stops the start`, () =>
      assert.throws(() => readConfig({ [name]: value }), { message: says }))

  it('that nothing can be done with stop it too', async () => {
    await assert.rejects(
      startService([members, ...withMails.slice(1, 3)], { env: { LOGIN_LINK: 'on' } }),
      /LOGIN_LINK=on needs mails/,
    )
    await assert.rejects(
      startService(withMails, { env: { VERIFY_EMAIL: 'required' } }),
      /VERIFY_EMAIL=required changes nothing: a new member may act at once/,
    )
  })
})

describe('what others write', () => {
  it('is no address unless every mail server takes it as one', () => {
    for (const good of ['ann@example.com', 'a.b+c@x.y', "o'neil@example.com", 'ünï@exämple.com', 'admin@localhost'])
      assert.ok(isMailable(good), good)
    for (const bad of [
      'a,b@x.y',
      'a@x.y,b@z',
      '<a@b>',
      '"a b"@x',
      'a@x\r\nBcc:c@d',
      'a@x;',
      'a:b@x',
      'a\u202eb@x',
      '@x',
      `${'a'.repeat(300)}@x`,
    ])
      assert.ok(!isMailable(bad), bad)
  })

  it('is shown, never obeyed', () => {
    assert.equal(asMailText('a\u202eb\r\nc\u200b'), 'a\\u{202E}b\\u{D}\\u{A}c\\u{200B}')
    const source = printMessage({
      from: 'Läden und mehr als eine Zeile davon, ganz gewiss <a@b.example>',
      to: 'c@d.example',
      subject: 'Grüße '.repeat(20),
      text: 'Eins\nZwei',
      sentAtMs: 0,
      id: 'x@y',
    })
    const [head = '', text] = source.split('\r\n\r\n')
    assert.equal(text, 'Eins\r\nZwei')
    assert.ok(
      head.split('\r\n').every((line) => line.length <= 78 && /^[\x20-\x7e]*$/.test(line)),
      head,
    )
    const words = [...head.matchAll(/^(?:Subject:)? =\?UTF-8\?B\?(.*?)\?=$/gm)].map(([, word = '']) =>
      Buffer.from(word, 'base64').toString(),
    )
    assert.equal(words.join(''), 'Grüße '.repeat(20))
    assert.match(head, /^Date: Thu, 01 Jan 1970 00:00:00 \+0000$/m)
  })

  it('the name of its sender is one name', () => {
    const fromOf = (from: string) =>
      /^From: (.*)$/m.exec(printMessage({ from, to: 'c@d', subject: '', text: '', sentAtMs: 0, id: 'x@y' }))?.[1]
    for (const [from, header] of [
      ['a@b.example', 'a@b.example'],
      ['Shop <a@b.example>', 'Shop <a@b.example>'],
      ['Shop, Inc <a@b.example>', '"Shop, Inc" <a@b.example>'],
      ['Shop Inc. <a@b.example>', '"Shop Inc." <a@b.example>'],
      ['Ann (sales): a@c.example <a@b.example>', '"Ann (sales): a@c.example" <a@b.example>'],
      ['A \\ B <a@b.example>', '"A \\\\ B" <a@b.example>'],
      ['Läden, alle <a@b.example>', `=?UTF-8?B?${Buffer.from('Läden, alle').toString('base64')}?= <a@b.example>`],
    ] as const)
      assert.equal(fromOf(from), header)
  })

  it('languages are taken in the order of their weights', () => {
    assert.deepEqual(languagesOf('de-CH, en;q=0.8, fr;q=0.9, *;q=0.1, es;q=0'), ['de', 'fr', 'en'])
    assert.deepEqual([languagesOf(null), languagesOf('x'.repeat(9000)), languagesOf(';;,,q')], [[], [], []])
  })
})

it('the folder of mails keeps so many', async () => {
  const { makeFolderTransport } = await import('../../src/mail/transport.ts')
  const folder = folderWith({})
  mkdirSync(join(folder, 'own'))
  const transport = makeFolderTransport(join(folder, 'own'), { filesMax: 3, report: () => undefined })
  for (let i = 0; i < 5; i += 1)
    await transport.send({ from: 'a@b', to: 'c@d', subject: `${i}`, text: '', sentAtMs: i * 1000, id: `${i}@x` })
  const left = readdirSync(join(folder, 'own')).map((name) => readFileSync(join(folder, 'own', name), 'utf8'))
  assert.deepEqual(left.map((source) => /^Subject: (\d)/m.exec(source)?.[1]).toSorted(), ['2', '3', '4'])
})
