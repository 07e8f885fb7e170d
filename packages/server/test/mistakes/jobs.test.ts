/** Wrong declarations of jobs: the start refuses each with its file and what was meant. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { choice, defineAction, defineJob, defineResource, id, reference, text, user } from '../../src/index.ts'
import { loosely, mistakesOf, thing } from './declaring.ts'

const job = (declaration: unknown) => loosely(defineJob, declaration)
const run = () => undefined

const rows: readonly (readonly [mistake: string, part: unknown, says: string])[] = [
  ['no work', job({ name: 'send' }), 'defineJob("send"): needs run'],
  ['an unknown member', job({ name: 'send', run, tries: 3 }), 'defineJob("send"): no member "tries"'],
  ['a name that is none', job({ name: 'send it', run }), 'defineJob("send it"): name: '],
  [
    'a field of records',
    job({ name: 'send', run, input: { order: reference('thing') } }),
    'defineJob("send"): field "order": is a reference, and refers from no record here',
  ],
  [
    'a wrong option of a result',
    job({ name: 'send', run, output: { sent: loosely(text, { maxLenght: 3 }) } }),
    'no option "maxLenght"; did you mean "maxLength"?',
  ],
  [
    'waits that shrink',
    job({ name: 'send', run, retries: { firstSeconds: 9, mostSeconds: 3 } }),
    'defineJob("send"): retries: waits 9 s first and 3 s at most',
  ],
]

describe('the start refuses a job', () => {
  for (const [mistake, part, says] of rows)
    it(mistake, () => {
      const found = mistakesOf([thing(), part] as never)
      assert.ok(
        found.some((one) => one.includes(says)),
        found.join('\n'),
      )
    })

  it('of the same name as another one, or as an effect of the resource job', () => {
    const twice = mistakesOf([thing(), job({ name: 'send', run }), job({ name: 'send', run })] as never)
    assert.match(twice.join('\n'), /has a job of this name already/)
    const own = defineResource({
      name: 'job',
      fields: { id: id() },
      access: {},
      effects: { send: { on: ['create'], run } },
    })
    assert.match(mistakesOf([own, job({ name: 'send', run })] as never).join('\n'), /their kinds have one name/)
  })
})

describe('the start refuses an action that adds a job', () => {
  const send = defineJob({ name: 'send', run })
  const input = () => ({})
  const withAction = (action: unknown, more: object = {}) => [
    thing({ access: { wake: user }, actions: { wake: action }, ...more }),
    send,
  ]
  const act = (declaration: unknown) => loosely(defineAction, declaration)
  const field = choice(['UP', 'DOWN'])
  const transitions = { wake: { from: ['DOWN'], to: 'UP', repeatable: true } }
  const wrong: readonly (readonly [mistake: string, list: readonly unknown[], says: string])[] = [
    [
      'beside code',
      withAction(act({ run, job: { add: send, input } })),
      'wake.job: stands in defineAction(…), in place of run',
    ],
    ['without defineAction', withAction({ run, job: { add: send, input } }), 'wake.job: stands in defineAction(…)'],
    [
      'by its name',
      withAction(act({ job: { add: 'send', input } })),
      'wake.job.add: must be a job that defineJob has made, and is "send"',
    ],
    ['without an input', withAction(act({ job: { add: send } })), 'wake.job: needs input'],
    [
      'with a misspelt member',
      withAction(act({ job: { add: send, input, option: input } })),
      'wake.job: no member "option"; did you mean "options"?',
    ],
    [
      'beside an output',
      withAction(act({ job: { add: send, input }, output: { sent: text() } })),
      'wake.output: means nothing beside job',
    ],
    [
      'that is not listed',
      withAction(act({ job: { add: defineJob({ name: 'other', run }), input } })),
      'wake.job: adds the job "other", which is not in the list of resources',
    ],
    [
      'after a transition that may repeat',
      withAction(act({ job: { add: send, input } }), { fields: { id: id(), state: { ...field, transitions } } }),
      'wake.job: the transition is repeatable, and a repeat adds no job',
    ],
  ]
  for (const [mistake, list, says] of wrong)
    it(mistake, () => {
      const found = mistakesOf(list as never)
      assert.ok(
        found.some((one) => one.includes(says)),
        found.join('\n'),
      )
    })
})
