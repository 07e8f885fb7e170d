/** A server with a hook that holds its thread for as long as a record says, for a test. */
import { anyone, defineResource, id, integer, runService } from '../../src/index.ts'

const loops = defineResource({
  name: 'loop',
  path: '/loops',
  fields: { id: id(), ms: integer({ required: true }) },
  access: { create: anyone },
  hooks: {
    async beforeCreate({ record, records }) {
      await records(loops).list({})
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, record.ms)
    },
  },
})

await runService([loops])
