/** The UUIDs, URLs and texts of a pattern that fields take and refuse, each with its sentence. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { text, url, uuid } from '../../src/index.ts'
import { makePatternMachine } from '../../src/resource/fields/texts/pattern-machine.ts'
import { stored, table } from './field-tables.ts'

const one = '01987c5e-7c1f-4a3b-9d42-3f5a6b7c8d9e'
const noUuid = '!x must be a UUID such as 01987c5e-7c1f-7a3b-9d42-3f5a6b7c8d9e'

describe('uuid', () => {
  table('check', [
    [uuid(), one, one],
    [uuid(), one.toUpperCase(), one],
    [uuid(), '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000'],
    [uuid(), `urn:uuid:${one}`, '!x must be a UUID without "urn:uuid:" before it'],
    [uuid(), `{${one}}`, '!x must be a UUID without braces'],
    [uuid(), one.replaceAll('-', ''), '!x must be a UUID with its four hyphens'],
    [uuid(), ` ${one}`, noUuid],
    [uuid(), `${one}\n`, noUuid],
    [uuid(), one.replace('c', 'g'), noUuid],
    [uuid(), '', noUuid],
    [uuid(), 5, '!x must be a string'],
    [uuid(), null, '!x must be a string'],
  ])
  table('parse', [
    [uuid(), one.toUpperCase(), one],
    [uuid(), 'x', noUuid],
  ])
  stored([
    [uuid(), one],
    [uuid(), one.toUpperCase(), 'must be a UUID in lower case'],
    [uuid(), 5, 'must be a string'],
  ])
})

const noSpaces = '!x must not contain spaces, control characters or invisible ones'
const noUrl = '!x must be a URL such as https://example.com/page'
const relative = '!x must be an absolute URL such as https://example.com/page'
const otherScheme = '!x must be a URL with the scheme http or https'
const long = `https://example.com/${'a'.repeat(2048 - 20)}`

describe('url', () => {
  table('check', [
    [url(), 'https://example.com/', 'https://example.com/'],
    [url(), 'HTTPS://Example.COM:443', 'https://example.com/'],
    [url(), 'http://example.com:8080/a/../b?q=1&r=%20#top', 'http://example.com:8080/b?q=1&r=%20#top'],
    [url(), 'https://müller.example/straße', 'https://xn--mller-kva.example/stra%C3%9Fe'],
    [url(), 'https://[2001:DB8::1]/', 'https://[2001:db8::1]/'],
    [url(), 'https://0x7f.1/', 'https://127.0.0.1/'],
    [url(), long, long],
    [url(), `${long}a`, '!x must be at most 2048 characters'],
    [url(), `https://example.com/${'ß'.repeat(400)}`, '!x must be at most 2048 characters with its %-codes'],
    [url(), '/page', relative],
    [url(), '//example.com/page', relative],
    [url(), '', relative],
    [url(), 'example.com', relative],
    [url(), 'example.com:80', otherScheme],
    [url(), 'javascript:alert(1)', otherScheme],
    [url(), 'JavaScript:alert(1)', otherScheme],
    [url(), 'data:text/html,x', otherScheme],
    [url(), 'ftp://example.com/', otherScheme],
    [url(), 'https:example.com', noUrl],
    [url(), 'https:///example.com', noUrl],
    [url(), 'https://', noUrl],
    [url(), 'https://a b/', noSpaces],
    [url(), ' https://example.com/', noSpaces],
    [url(), 'https://example.com/\n', noSpaces],
    [url(), 'java\tscript:alert(1)', noSpaces],
    [url(), 'https://example.com/\0', noSpaces],
    [url(), 'https://example.com/\u202egpj.exe', noSpaces],
    [url(), 'https://example.com/\ud800', '!x must not contain a lone surrogate'],
    [url(), 'https://example.com\\@evil.example/', '!x must not contain a backslash'],
    [url(), 'https://ann:secret@example.com/', '!x must not contain a user name or a password'],
    [url(), 'https://ann@example.com/', '!x must not contain a user name or a password'],
    [url(), 'https://example.com:99999/', noUrl],
    [url(), 'https://exa%mple.com/', noUrl],
    [url(), 'https://1.2.3.256/', noUrl],
    [url(), 5, '!x must be a string'],
    [url({ schemes: 'https' }), 'http://example.com/', '!x must be a URL with the scheme https'],
    [url({ schemes: ['mailto', 'https'] }), 'mailto:ann@example.com', 'mailto:ann@example.com'],
  ])
  table('parse', [[url(), 'HTTPS://Example.COM', 'https://example.com/']])
  stored([
    [url(), 'https://example.com/'],
    [url(), 'https://example.com', 'is stored as https://example.com/'],
  ])
  it('is prose neither for a search nor for the comparison of names', () => assert.equal(url().type.isProse, undefined))
  it('refuses schemes that a page would run', () => {
    const { type, limits } = url({ schemes: ['https', 'javascript'] })
    assert.match(type.limitsMistake?.(limits) ?? '', /^schemes has "javascript"/)
  })
})

const plate = text({ pattern: /[A-Z]{2}\d{4}/ })

describe('text with a pattern', () => {
  table('check', [
    [plate, 'AB1234', 'AB1234'],
    [plate, 'AB12345', '!x must match [A-Z]{2}\\d{4}, such as AA0000'],
    [plate, 'ab1234', '!x must match [A-Z]{2}\\d{4}, such as AA0000'],
    [plate, 'AB1234\n', '!x must match [A-Z]{2}\\d{4}, such as AA0000'],
    [text({ pattern: '[A-Z]+', example: 'KL' }), 'kl', '!x must look like KL'],
    [
      text({ pattern: '[A-Z]+', example: 'KL', description: 'The letters of the club.' }),
      'kl',
      '!x must look like KL: The letters of the club.',
    ],
    [text({ pattern: /(a+)+b|c/ }), 'a'.repeat(1000), '!x must match (a+)+b|c, such as c'],
  ])
  table('parse', [[plate, 'ab', 'ab']])
  it('is in the schema as an expression of the whole text', () => {
    assert.equal(plate.type.schema(plate).pattern, '^(?:[A-Z]{2}\\d{4})$')
    assert.equal(plate.example, 'AA0000')
  })
  for (const [pattern, sentence] of [
    ['(', /^is no regular expression: /],
    ['(?=a)a', /^has \(\?=…, which no pattern may have/],
    ['(a)\\1', /^has \\1, which no pattern may have/],
    ['a\\b', /^has \\b, which no pattern may have/],
    ['(^a)', /^has \^ inside/],
    ['(a{100}){100}', /^is too large/],
    ['(?:){1000000}', /^is too large/],
  ] as const)
    it(`pattern ${pattern}: ${sentence}`, () => {
      const [mistake] = text({ pattern }).mistakes
      assert.equal(mistake?.path, 'pattern')
      assert.match(mistake?.problem ?? '', sentence)
    })
  for (const [field, sentence] of [
    [text({ pattern: /a{3}/, maxLength: 2 }), /^pattern matches no text of at most 2 characters/],
    [text({ pattern: /[^\s\S]/ }), /^pattern matches no text/],
    [text({ pattern: /(a|b{90}){9}/, maxLength: 100_000 }), /^pattern is too large for texts of 100000 characters/],
  ] as const)
    it(String(sentence), () => assert.match(field.type.limitsMistake?.(field.limits) ?? '', sentence))
})

/** Texts of few letters, so that many match. */
const texts = ['']
for (let i = 0; i < texts.length && texts.length < 400; i += 1)
  for (const letter of ['a', 'b', '1', 'ß']) texts.push(`${texts[i]}${letter}`)

describe('the machine of a pattern says what a regular expression of JavaScript says', () => {
  for (const source of [
    'a*',
    '^a+$',
    '^a|b$',
    '(a|b)*?1',
    '(?:a?){3}',
    'a{2,}',
    'a{0,2}b{1}',
    '(?<first>a|)(b|)',
    '[^a]+',
    '[a\\-\\]]*|ß\\d',
    '\\p{L}+\\d?',
    '.{2}',
    '(a*)*b',
    '(a|aa)+',
    '\\u{DF}|\\xDF1|\\u0061',
    '((a{1,2}|b){1,2}){2}',
    '',
  ])
    it(source, () => {
      const { matches, shortest } = makePatternMachine(source)
      const expression = new RegExp(`^(?:${source})$`, 'u')
      for (const one of [...texts, '😀', 'a😀', '\n', '-', ']']) assert.equal(matches(one), expression.test(one), one)
      assert.match(shortest as string, expression)
    })
})
