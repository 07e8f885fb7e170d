/**
 * The settings of an application come from the environment or from files, by their fields. A start
 * refuses wrong ones with a sentence each, and operators see them without secrets.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import {
  accounts,
  boolean,
  choice,
  type Declared,
  defineSettings,
  integer,
  json,
  list,
  money,
  text,
  textList,
  timestamp,
  url,
} from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { removeFolder, startService, temporaryFolder } from '../../src/testing/index.ts'

const shop = defineSettings({
  fields: {
    stripeKey: text({ required: true, maxLength: 20, description: 'the secret key of Stripe' }),
    freeFrom: money({ default: 5000 }),
    retries: integer({ min: 1, max: 9 }),
    isOpen: boolean({ default: true }),
    mode: choice(['LIVE', 'TEST'], { default: 'TEST' }),
    copyTo: textList(),
    days: list(integer({ min: 1 })),
    opensAt: timestamp(),
    homePage: url(),
    plan: json(),
  },
  secret: ['stripeKey', 'plan'],
})
const all = [...accounts({ roles: ['USER', 'ADMIN'] }), shop]
const { parts } = makeCatalog(all)
const read = (env: Record<string, string>) => readConfig(env).application(parts)

test('each variable is read by its field', () => {
  const found = read({
    STRIPE_KEY: 'sk_live_1',
    FREE_FROM: '19.90',
    RETRIES: '3',
    IS_OPEN: 'false',
    MODE: 'LIVE',
    COPY_TO: 'a@b.example, c@d.example',
    DAYS: '1, 14',
    OPENS_AT: '2026-11-27T13:00:00+01:00',
    HOME_PAGE: 'https://shop.example/',
    PLAN: '{ "b": 1, "a": [true] }',
  })
  assert.deepEqual(found.mistakes, [])
  assert.deepEqual(found.of(shop), {
    stripeKey: 'sk_live_1',
    freeFrom: 1990,
    retries: 3,
    isOpen: false,
    mode: 'LIVE',
    copyTo: ['a@b.example', 'c@d.example'],
    days: [1, 14],
    opensAt: '2026-11-27T12:00:00.000Z',
    homePage: 'https://shop.example/',
    plan: { a: [true], b: 1 },
  })
  const least = read({ STRIPE_KEY: 'sk', RETRIES: '' }).of(shop)
  assert.deepEqual(
    [least.freeFrom, least.retries, least.isOpen, least.mode, least.plan],
    [5000, null, true, 'TEST', null],
  )
})

test('every mistake has a sentence, and none has a secret', () => {
  const { mistakes, of } = read({ RETRIES: '10', MODE: 'live', DAYS: '0', OPENS_AT: 'noon', PLAN: '{secret' })
  assert.deepEqual(mistakes, [
    'STRIPE_KEY must be set: the secret key of Stripe',
    'RETRIES must be from 1 to 9',
    'MODE must be one of LIVE, TEST',
    'DAYS[0] must be at least 1',
    'OPENS_AT must be a timestamp such as 2026-01-31T12:00:00Z',
    'PLAN must be JSON',
  ])
  assert.throws(() => of(shop), { name: 'StartError', message: /^STRIPE_KEY must be set/ })
  const long = read({ STRIPE_KEY: 'sk_live_0123456789abcdef' })
  assert.deepEqual(long.mistakes, ['STRIPE_KEY must be at most 20 characters'])
})

test('they may stand in files, and misspelt ones are told', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'key')
  writeFileSync(file, 'sk_file\n')
  const config = readConfig({ STRIPE_KEY_FILE: file, COPYTO: 'x' })
  assert.equal(config.application(parts).of(shop).stripeKey, 'sk_file')
  assert.deepEqual(config.unknownVariables(all), ['COPYTO is set, and nothing reads it; did you mean COPY_TO?'])
  assert.deepEqual(config.unknownVariables([]), [])
  assert.throws(() => read({ STRIPE_KEY_FILE: join(folder, 'none') }), {
    message: `STRIPE_KEY_FILE cannot be read: ENOENT ${join(folder, 'none')}`,
  })
  removeFolder(folder)
})

test('a start without one is refused; operators see all but the secrets', async () => {
  const started = (env: Record<string, string>, declarations: readonly Declared[] = all) =>
    startService(declarations, { env })
  await assert.rejects(started({ RETRIES: 'many' }), {
    message:
      'The settings of the application have mistakes:\n  STRIPE_KEY must be set: the secret key of Stripe\n  RETRIES must be an integer',
  })
  await assert.rejects(
    started({}, [...all.slice(0, -1), defineSettings({ fields: { mailFrom: text(), portFile: text() } })]),
    {
      message:
        /field "mailFrom": MAIL_FROM is a variable of the server; give it another name\n.*PORT_FILE is a variable/,
    },
  )
  const { ask, admin, logged, stop } = await started({ STRIPE_KEY: 'sk_live_1', FREE_FROM: '19.90', PLAN: '"hidden"' })
  const { token } = await admin()
  const { body } = await ask('GET', '/api/v1/_operate/settings', { token })
  const own = body.settings.filter(({ group }: { group: string }) => group === 'Application')
  assert.deepEqual(own.slice(0, 2), [
    {
      name: 'STRIPE_KEY',
      group: 'Application',
      about: 'the secret key of Stripe',
      source: 'set',
      value: null,
      isSecret: true,
    },
    { name: 'FREE_FROM', group: 'Application', about: '', source: 'set', value: '19.90' },
  ])
  assert.ok(!JSON.stringify([body, logged]).match(/sk_live|hidden/))
  await stop()
})
