/**
 * Services of an application: made at their first use, kept, closed at a stop in the reverse order,
 * and replaced by a test. Settings and services reach the code of effects and hooks.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  accounts,
  changed,
  defineResource,
  defineService,
  defineSettings,
  id,
  operator,
  text,
} from '../../src/index.ts'
import { startService, type TestOptions } from '../../src/testing/index.ts'

type Sender = { send(what: string): string }

/** An application whose services note what happens to them. */
function application() {
  const events: string[] = []
  const shop = defineSettings({ fields: { prefix: text({ default: 'none' }) } })
  const sender = defineService({
    name: 'sender',
    make: ({ settings }): Sender => {
      events.push('made')
      const { prefix } = settings.of(shop)
      return { send: (what) => `${prefix}-${what}` }
    },
    close: () => events.push('closed'),
  })
  let tries = 0
  const slow = defineService({
    name: 'slow',
    async make() {
      tries += 1
      if (tries === 1) throw new Error('not yet')
      return { tries }
    },
    close: ({ tries }) => events.push(`closed ${tries}`),
  })
  const idle = defineService({ name: 'idle', make: () => events.push('never'), close: () => events.push('never') })
  const note = defineResource({
    name: 'note',
    path: '/notes',
    fields: { id: id(), title: text({ required: true }) },
    access: { create: operator },
    hooks: {
      prepareCreate({ sent, services }) {
        events.push(`prepares ${services(sender).send(sent.title ?? '')}`)
      },
      beforeCreate: ({ record, settings }) => ({ title: `${settings.of(shop).prefix} ${record.title}` }),
    },
    effects: {
      send: {
        on: ['create', changed('title')],
        async run({ record, services }) {
          events.push(services(sender).send(record.title))
          const found = await services(slow).catch((error: Error) => error.message)
          events.push(JSON.stringify(found))
          if (typeof found === 'string') events.push(JSON.stringify(await services(slow)))
        },
      },
    },
  })
  return { events, list: [shop, sender, slow, idle, note, ...accounts({ roles: ['USER', 'ADMIN'] })] }
}

type Listed = ReturnType<typeof application>['list'][number]

async function afterTwoNotes(options: TestOptions<Listed>): Promise<readonly string[]> {
  const { events, list } = application()
  const { ask, admin, sweep, stop } = await startService(list, options)
  const { token } = await admin()
  for (const title of ['a', 'b']) {
    const { status } = await ask('POST', '/api/v1/notes', { token, body: { title } })
    assert.equal(status, 201)
    await sweep()
  }
  await stop()
  return events
}

describe('services', () => {
  it('are made at their first use, and closed at a stop', async () => {
    const events = await afterTwoNotes({ env: { PREFIX: 'p' } })
    assert.deepEqual(events, [
      'made',
      'prepares p-a',
      'p-p a',
      '"not yet"',
      '{"tries":2}',
      'prepares p-b',
      'p-p b',
      '{"tries":2}',
      'closed 2',
      'closed',
    ])
  })

  it('are replaced in tests', async () => {
    const sent: string[] = []
    const sender: Sender = {
      send(what) {
        sent.push(what)
        return 'sent'
      },
    }
    const events = await afterTwoNotes({ services: { sender, slow: Promise.resolve({ tries: 7 }) } })
    assert.deepEqual(events, ['prepares sent', 'sent', '{"tries":7}', 'prepares sent', 'sent', '{"tries":7}'])
    assert.deepEqual(sent, ['a', 'none a', 'b', 'none b'])
  })

  it('that are none are refused', async () => {
    // @ts-expect-error a misspelt service
    await assert.rejects(startService(application().list, { services: { sendr: {} } }), {
      message: 'services: there is no service "sendr"; did you mean "sender"?',
    })
  })

  it('and parts that the application does not list are told when they are used', async () => {
    const stray = defineService({ name: 'stray', make: () => 1 })
    const wrong: unknown[] = []
    const thing = defineResource({
      name: 'thing',
      path: '/things',
      fields: { id: id() },
      access: { create: operator },
      effects: { use: { on: ['create'], run: async ({ services }) => void wrong.push(tried(() => services(stray))) } },
    })
    const tried = (use: () => unknown) => {
      try {
        return use()
      } catch (error) {
        return (error as Error).message
      }
    }
    const { ask, admin, sweep, stop } = await startService([thing, ...accounts({ roles: ['USER', 'ADMIN'] })])
    await ask('POST', '/api/v1/things', { token: (await admin()).token, body: {} })
    await sweep()
    await stop()
    assert.deepEqual(wrong, [
      'packages/server/test/service/services.test.ts: defineService("stray") is not in the list of resources, where the application names its parts',
    ])
  })
})
