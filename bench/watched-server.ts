/**
 * Serves the shop; messages switch how much of it is observed. One process measures all settings in
 * turn, because two processes of the same program differ by more than the effect.
 */
import { resources } from '../apps/shop/resources/index.ts'
import { readConfig } from '../packages/server/src/config.ts'
import { makeLog } from '../packages/server/src/http/logs/log.ts'
import { start } from '../packages/server/src/service/start.ts'

/**
 * `logs`: a line for each request; `slow`: whether slow statements are looked for; `countsMs`: so
 * long, what the port for metrics shows is counted.
 */
export type Watching = { readonly logs: boolean; readonly slow: boolean; readonly countsMs: number }

const read = readConfig(process.env)
let slowMs: number | undefined
const config = {
  ...read,
  get slowMs() {
    return slowMs
  },
}
const log = makeLog(config)
const service = await start(config, resources, { log })
process.on('message', ({ logs, slow, countsMs }: Watching) => {
  slowMs = slow ? read.slowMs : undefined
  log.setLevel(logs ? 'info' : 'silent')
  if (countsMs > 0) service.observing.meter.look(countsMs)
  process.send?.('set')
})
process.once('SIGTERM', () => void service.stop().then(() => process.exit(0)))
process.send?.(service.address)
