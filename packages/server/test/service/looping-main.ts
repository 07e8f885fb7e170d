/**
 * A server for tests: a hook holds its thread for as long as a record says. Code of every kind
 * leaves errors that nothing handles.
 */
import {
  anyone,
  defineEndpoint,
  defineJob,
  defineResource,
  defineService,
  id,
  integer,
  runService,
  text,
} from '../../src/index.ts'

function leave(by: string): void {
  queueMicrotask(() => {
    throw new Error(`thrown by ${by}`)
  })
  void Promise.reject(new Error(`rejected by ${by}`))
}

/** It leaves them later, when other code asks for it. */
const pool = defineService({
  name: 'pool',
  make() {
    const asked = { leaves: false }
    setInterval(() => {
      if (asked.leaves) leave('a service')
      asked.leaves = false
    }, 20).unref()
    return asked
  },
})

let isTime = false
setInterval(() => {
  if (isTime) leave('a timer')
  isTime = false
}, 20).unref()

const report = defineJob({
  name: 'report',
  run({ services }) {
    leave('a job')
    services(pool).leaves = true
    isTime = true
  },
})
const stray = defineEndpoint({
  name: 'stray',
  method: 'GET',
  rule: anyone,
  output: { done: text() },
  run() {
    leave('an endpoint')
    return { done: null }
  },
})
const loops = defineResource({
  name: 'loop',
  path: '/loops',
  fields: { id: id(), ms: integer({ required: true }) },
  access: { create: anyone },
  hooks: {
    prepareCreate({ sent }) {
      if (sent.ms === 0) leave('a hook that prepares')
    },
    async beforeCreate({ record, records }) {
      if (record.ms === 0) leave('a hook')
      await records(loops).list({})
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, record.ms)
    },
  },
  effects: {
    follow: {
      on: ['create'],
      async run({ record, jobs, transaction, log }) {
        if (record.ms > 0) return
        const detail = { order: 3, level: 'loud', time: 7, msg: 'other', code: 'x', detail: 'y', err: 'z' }
        log.info('told', detail)
        log.error('told as an error', new Error('odd'), detail)
        leave('an effect')
        await transaction(async () => leave('a transaction'))
        await jobs(report).add({})
      },
    },
  },
})

await runService([loops, report, stray, pool])
