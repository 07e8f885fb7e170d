/** A service whose files are scanned, for a test that kills it. `SCAN`: `hangs`, or a verdict. */
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../src/config.ts'
import { anyone, defineResource, file, id, type ScanVerdict } from '../../src/index.ts'
import { start } from '../../src/service/start.ts'
import { recordingLog } from '../../src/testing/index.ts'

const boxes = defineResource({
  name: 'box',
  plural: 'boxes',
  path: '/boxes',
  fields: {
    id: id(),
    label: file({
      scan: {
        async run({ file: { name }, bytes }) {
          for await (const _piece of bytes);
          process.send?.(`scans ${name}`)
          if (process.env.SCAN === 'hangs') await sleep(600_000)
          return process.env.SCAN as ScanVerdict
        },
      },
    }),
  },
  list: { style: 'page' },
  access: { list: anyone, get: anyone, create: anyone, update: anyone },
})

/** Ahead of the lease of a process that was killed. */
const clock = () => Date.now() + Number(process.env.AHEAD_MS ?? 0)
const service = await start(readConfig(process.env), [boxes], { log: recordingLog([]), clock })
process.send?.(service.address)
