/** Wrong parts of an application: the start refuses each with its file and what was meant. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defineMail, defineService, defineSettings, id, money, reference, state, text } from '../../src/index.ts'
import { loosely, mistakesOf, thing } from './declaring.ts'

const here = 'packages/server/test/mistakes/parts.test.ts'
const settings = (declaration: unknown) => loosely(defineSettings, declaration)

const rows: readonly (readonly [mistake: string, part: unknown, ...says: readonly string[]])[] = [
  ['no object', settings('stripeKey'), 'defineSettings: must be an object, and is "stripeKey"'],
  [
    'an unknown member',
    settings({ fields: {}, secrets: [] }),
    'defineSettings: no member "secrets"; did you mean "secret"?',
  ],
  ['no fields', settings({ secret: [] }), 'defineSettings: needs fields'],
  [
    'a field that was not called',
    settings({ fields: { stripeKey: text } }),
    'defineSettings: field "stripeKey": must be a field, such as text(), and is the function text; call it: text()',
  ],
  [
    'a wrong option of a field',
    settings({ fields: { stripeKey: loosely(text, { maxLenght: 3 }) } }),
    'defineSettings: field "stripeKey": no option "maxLenght"; did you mean "maxLength"?',
  ],
  [
    'a secret that is no field',
    settings({ fields: { stripeKey: text() }, secret: ['stripKey'] }),
    'defineSettings: secret: no field "stripKey"; did you mean "stripeKey"?',
  ],
  [
    'a default that is no value',
    settings({ fields: { freeFrom: loosely(money, { default: 'free' }) } }),
    'defineSettings: field "freeFrom": its default must be a number',
  ],
  [
    'fields of records',
    settings({
      fields: {
        key: id(),
        of: reference('thing'),
        step: state(['A', 'B'], { transitions: { go: { from: ['A'], to: 'B' } } }),
        made: text({ default: () => 'x' }),
      },
    }),
    'defineSettings: field "key": is a field of records: no value of it can be given here',
    'defineSettings: field "of": is a reference, and refers from no record here',
    'defineSettings: field "step": is a field of records: no value of it can be given here',
    'defineSettings: field "made": its default must be a value here, and is a function',
  ],
  [
    'variables of the system',
    settings({ fields: { path: text(), nodeEnv: text() } }),
    'defineSettings: field "path": its variable PATH belongs to the system; give it another name',
    'defineSettings: field "nodeEnv": its variable NODE_ENV belongs to the system; give it another name',
  ],
  ['a service without make', loosely(defineService, { name: 'stripe' }), 'defineService("stripe"): needs make'],
  [
    'a name that is none',
    loosely(defineService, { name: 'my-stripe', make: () => 1 }),
    'defineService("my-stripe"): name: a name is camelCase letters and digits',
  ],
  [
    'a mail without texts',
    loosely(defineMail, { name: 'orderShiped', folder: '../mail/mails' }),
    'defineMail("orderShiped"): language: there is no order-shiped.en.txt in ../mail/mails; did you mean "order-shipped.en.txt"?',
  ],
  [
    'no folder',
    loosely(defineMail, { name: 'plain', folder: './none' }),
    'defineMail("plain"): folder: there is no folder ',
  ],
  [
    'wrong members of a mail',
    loosely(defineMail, { name: 'plain', folder: 'mails', zone: 'Europe/Berln', language: 'English' }),
    'defineMail("plain"): folder: must be a path such as ./mails, and is "mails"',
    'defineMail("plain"): zone: must be a time zone such as Europe/Berlin, and is "Europe/Berln"',
    'defineMail("plain"): language: must be a language such as en, and is "English"',
  ],
  [
    'texts with mistakes',
    loosely(defineMail, { name: 'broken', folder: '../mail/mails', values: { name: text() } }),
    'defineMail("broken"): packages/server/test/mail/mails/broken.english.txt: must be called like broken.en.txt or broken.en.html',
    'defineMail("broken"): packages/server/test/mail/mails/broken.en.html:1: needs quotation marks around {{name}}, since a value may have spaces',
    'defineMail("broken"): packages/server/test/mail/mails/broken.en.txt:1: {{nam}} is no value of this mail; did you mean "name"?',
    'defineMail("broken"): packages/server/test/mail/mails/broken.en.txt:1: begins with a line "Subject: …" and an empty one',
    'defineMail("broken"): packages/server/test/mail/mails/broken.fr.html: needs a text beside it: broken.fr.txt',
  ],
  [
    'a value of no text',
    loosely(defineMail, { name: 'plain', folder: '../mail/mails', values: { extra: text() } }),
    'defineMail("plain"): values.extra: no text mentions it',
  ],
  [
    'the file of another one',
    settings({ fields: { stripeKeyFile: text() } }),
    `defineSettings: field "stripeKeyFile": its variable STRIPE_KEY_FILE is also one of "stripeKey" of ${here}:`,
  ],
]

const found = (list: readonly unknown[]) => mistakesOf(list).map((line) => line.replace(`${here}: `, ''))

describe('parts', () => {
  for (const [mistake, part, ...says] of rows)
    it(mistake, () => {
      const other = mistake === 'the file of another one' ? [defineSettings({ fields: { stripeKey: text() } })] : []
      const lines = found([thing(), part, ...other]).slice(0, says.length)
      assert.equal(lines.length, says.length)
      lines.forEach((line, at) => {
        assert.ok(line.startsWith(says[at] as string), `${line}\n${says[at]}`)
      })
    })

  it('of one kind have names of their own', () => {
    const stripe = () => defineService({ name: 'stripe', make: () => 1 })
    const [line = ''] = found([stripe(), stripe(), defineMail({ name: 'plain', folder: '../mail/mails' })])
    assert.match(line, /^defineService\("stripe"\): .*:\d+ has a service of this name already$/)
  })

  it('right ones are no resources', () => {
    const right = defineSettings({ fields: { stripeKey: text({ required: true }) }, secret: ['stripeKey'] })
    assert.deepEqual(found([right, thing()]), [])
  })
})
