/**
 * A service with files for tests that kill it or weigh it. It sweeps again and again, and sends its
 * log when it is asked. With arguments it is a command of that application.
 */
import { readConfig } from '../../src/config.ts'
import { anyone, defineResource, file, files, id, runCommandLine, text } from '../../src/index.ts'
import { start } from '../../src/service/start.ts'
import { recordingLog } from '../../src/testing/index.ts'

const boxes = defineResource({
  name: 'box',
  plural: 'boxes',
  path: '/boxes',
  fields: { id: id(), title: text(), label: file({ maxBytes: '2 GB' }), papers: files({ max: 9 }) },
  list: { style: 'page' },
  access: { list: anyone, get: anyone, create: anyone, update: anyone, delete: anyone },
})

/** How far its clock is ahead, so that uploads without a record are due. */
const aheadMs = Number(process.env.AHEAD_MS ?? 0)

const lines: string[] = []

async function serve(): Promise<void> {
  const clock = () => Date.now() + aheadMs
  const service = await start(readConfig(process.env), [boxes], { log: recordingLog(lines), clock })
  const sweepOn = async (): Promise<void> => {
    await service.doWhatIsDue()
    setTimeout(() => void sweepOn(), 15)
  }
  void sweepOn()
  process.on('message', () => process.send?.(lines.join('\n')))
  process.send?.(service.address)
}

if (process.argv.length > 2) await runCommandLine(async () => [boxes])
else await serve()
